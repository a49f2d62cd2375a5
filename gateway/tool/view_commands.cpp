// SPDX-License-Identifier: GPL-2.0-only
#include "gateway/tool/view_commands.h"

#include "gateway/tool/commands.h"
#include "gateway/tool/error.h"
#include "gateway/tool/serve.h"

namespace penstock::gw {

namespace {

constexpr int kPort = 7470;

int serve_page(const Options& o) {
  if (o.view.listen && o.port) throw Error(kUsage, "serve: --port or --listen, not both");
  Endpoint endpoint{"127.0.0.1", o.port ? o.port : kPort, ""};
  if (o.view.listen) endpoint = *o.view.listen;
  return run_serve(o.device, {endpoint, o.view.token_file});
}

}  // namespace

void add_views(CLI::App& app, Options& o) {
  CLI::App* serve = app.add_subcommand("serve", "a live page for a browser");
  serve->add_option("device", o.device, "device at the bottleneck")->required();
  serve->add_option("--port", o.port, "on 127.0.0.1; default 7470")->check(CLI::Range(1, 65535));
  add_parsed(serve, "--listen", "ADDRESS:PORT",
             "where to listen, or unix:PATH; other machines need the token that is printed",
             parse_endpoint, [&o](const Endpoint& endpoint) { o.view.listen = endpoint; });
  serve->add_option("--token-file", o.view.token_file, "file whose first line is the token");
  serve->callback([&o] { o.run = serve_page; });
}

}  // namespace penstock::gw
