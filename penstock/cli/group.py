# SPDX-License-Identifier: GPL-2.0-only
"""A command that has commands of its own."""

from typing import Any

from typer.core import TyperGroup

from penstock.cli import examples


class Group(TyperGroup):
    """Lists its commands with their whole first line, and parses only options that are given."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that name."""
        command = super().get_command(ctx, cmd_name)
        if command is not None:
            command.short_help = (command.help or "").partition("\n")[0]
            examples.add(command, f"{self.name} {cmd_name}")
        return command

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Options before the command: where there are none, typer need not load pydantic."""
        if args and not args[0].startswith("-"):
            self.params, self.add_help_option = [], False
        return super().parse_args(ctx, args)
