// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/command/examples.h"

#include <sstream>
#include <string>

namespace penstock::gw {

namespace {

struct Examples {
  const char* command;  // its words
  const char* lines;    // without the program's name
};

constexpr Examples kExamples[] = {
    {"", "auto wan0\ndoctor wan0\nattach wan0 --rate 19mbit\nstatus"},
    {"run",
     "run --down 20mbit -- curl -O https://example.org/model.bin\n"
     "run --down idle -- podman pull debian                # what others leave\n"
     "run --up 2mbit --device wlan0 -- rsync -a photos backup:"},
    {"attach",
     "attach wan0 --rate 19mbit                         # what leaves, at 95 % of the line\n"
     "attach wan0 --down                                # what comes in, with no rate known\n"
     "attach wan0 --rate 19mbit --observe               # count, and change no packet\n"
     "attach wan0 --rate auto --source passive          # a modem whose rate nobody knows\n"
     "attach wan0 -c /etc/penstock/penstock.toml"},
    {"detach", "detach wan0\ndetach wan0 --down\ndetach --all"},
    {"set",
     "set wan0 --rate 15mbit\nset wan0 --observe\nset wan0 --live\n"
     "set wan0 --exempt 'port 22'"},
    {"reload", "reload wan0\nreload wan0 -c other.toml"},
    {"check", "check\ncheck -c other.toml"},
    {"status", "status\nstatus wan0\nstatus wan0 --down\nstatus -j wan0"},
    {"show", "show wan0\nshow wan0 --down >>/etc/penstock/penstock.toml"},
    {"flows", "flows wan0\nflows -j wan0"},
    {"explain", "explain wan0\nexplain wan0 --all\nexplain wan0 192.0.2.1:443"},
    {"top", "top wan0\ntop wan0 -i 500ms"},
    {"monitor", "monitor wan0 -n 10\nmonitor wan0 -i 5s"},
    {"compare",
     "compare wan0 --for 10min                          # start a large upload first\n"
     "compare wan0 --down --report page.html\n"
     "compare wan0 --class gold=192.0.2.0/25 --class 'web=port 443'"},
    {"where",
     "where wan0                                        # during a large download\n"
     "where wan0 --for 30s\nwhere -j wan0"},
    {"auto", "auto wan0\nauto wan0 -c /etc/penstock/penstock.toml\nauto status"},
    {"auto status", "auto status\nauto status -j wan0"},
    {"doctor", "doctor wan0\ndoctor -j wan0"},
    {"metrics",
     "metrics wan0\nmetrics wan0 --port 9100\n"
     "metrics wan0 -o /var/lib/node_exporter/penstock.prom"},
    {"record", "record wan0 evening.jsonl\nrecord wan0 evening.jsonl -i 1s --size 10MB"},
    {"log", "log wan0\nlog wan0 -o /var/log/penstock/wan0.jsonl"},
    {"why", "why wan0\nwhy wan0 --at 20:15\nwhy --file evening.jsonl"},
    {"serve", "serve wan0\nserve wan0 --port 8080\nserve wan0 --listen unix:/run/wan0.sock"},
    {"methods", "methods\nmethods -j"},
    {"shape", "shape add wan0 alice --rate 50mbit --prefix 192.0.2.7\nshape list wan0"},
    {"shape add",
     "shape add wan0 alice --rate 50mbit --prefix 192.0.2.7\n"
     "shape add wan0 --file ShapedDevices.csv --direction up\n"
     "shape add pull --cgroup system.slice/backup.service --down 20mbit"},
    {"shape remove", "shape remove wan0 alice\nshape remove wan0 --all"},
    {"shape list", "shape list wan0\nshape list -j wan0.down"},
    {"cc", "cc load westwood_plus\ncc list"},
    {"cc load", "cc load westwood_plus\ncc load efcm --default"},
    {"cc unload", "cc unload westwood_plus\ncc unload --all"},
    {"cc list", "cc list\ncc list -j"},
    {"cc status", "cc status\ncc status -j"},
};

CLI::App* command_at(CLI::App& app, const std::string& words) {
  CLI::App* found = &app;
  std::istringstream names(words);
  for (std::string name; names >> name;) found = found->get_subcommand(name);
  return found;
}

}  // namespace

void add_examples(CLI::App& app) {
  for (const auto& [command, lines] : kExamples) {
    std::string text = "Examples:\n";
    std::istringstream each(lines);
    for (std::string line; std::getline(each, line);)
      text += "  " + app.get_name() + " " + line + "\n";
    text.pop_back();
    command_at(app, command)->footer(text);
  }
}

}  // namespace penstock::gw
