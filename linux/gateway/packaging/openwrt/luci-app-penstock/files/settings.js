// SPDX-License-Identifier: GPL-2.0-only
// Services > Penstock: the sections of /etc/config/penstock as a form.
'use strict';
'require view';
'require form';
'require tools.widgets as widgets';

// Written by tools/gen_gateway_settings.py.
const SETTINGS = [
	{"key": "rate", "form": "TEXT", "words": [], "initial": "", "example": "20mbit", "help": "bottleneck rate, such as 20mbit; auto: measured (with --queue existing)"},
	{"key": "overhead", "form": "TEXT", "words": [], "initial": "", "example": "pppoe-ptm", "help": "of the rate, in tc-cake(8)'s words: pppoe-ptm, docsis, '44 mpu 64 atm'"},
	{"key": "buffer", "form": "TEXT", "words": [], "initial": "", "example": "97kB", "help": "queue limit in bytes, such as 97kB; default 50 ms at the rate, 20 ms over CAKE and the like"},
	{"key": "target", "form": "TEXT", "words": [], "initial": "", "example": "5ms", "help": "queue that the method aims at, as a time at the rate or in bytes: 5ms, 12500B; default 5ms with penstock"},
	{"key": "method", "form": "TEXT", "words": [], "initial": "penstock", "example": "penstock", "help": "method; see `penstock-gw methods`"},
	{"key": "mode", "form": "TEXT", "words": ["safe", "strict", "literal"], "initial": "safe", "example": "safe", "help": "safe (default), strict or literal"},
	{"key": "observe", "form": "FLAG", "words": [], "initial": "", "example": "true", "help": "compute and count, change no packet (--live ends it)"},
	{"key": "police", "form": "FLAG", "words": [], "initial": "", "example": "true", "help": "drop some of the data that ignores its window"},
	{"key": "fair", "form": "TEXT", "words": ["auto", "on", "off"], "initial": "auto", "example": "on", "help": "hold what no window controls to its fair share, by drops and marks: on (default with a law), or off"},
	{"key": "spare", "form": "LIST", "words": [], "initial": "", "example": "50%, udp port 5004, dscp=ef,af41,cs5", "help": "part of the link for flows that keep their rate (default 50%), or a rule of what fair leaves alone: 'udp port 5004', dscp=ef; may be repeated; none: no more rules"},
	{"key": "discipline", "form": "TEXT", "words": [], "initial": "", "example": "red", "help": "drop or mark packets of all flows by red, ared, blue, pie, csfq, ...; without --method alone, else below its law"},
	{"key": "signal", "form": "TEXT", "words": ["drop", "ecn", "window"], "initial": "", "example": "drop", "help": "effect of a discipline's early events: drop, ecn, or window"},
	{"key": "queue", "form": "TEXT", "words": ["install", "existing"], "initial": "install", "example": "install", "help": "install: HTB and a FIFO at the rate (default); existing: leave the qdisc"},
	{"key": "class", "form": "TEXT", "words": [], "initial": "", "example": "1:10", "help": "class of the existing queue whose backlog is read, such as 1:10"},
	{"key": "source", "form": "TEXT", "words": ["auto", "kernel", "virtual", "passive", "upstream"], "initial": "auto", "example": "auto", "help": "queue state: auto (default), kernel, virtual; with --rate auto also passive: of a bottleneck further down, or upstream: of one before the device, with --down"},
	{"key": "scalable", "form": "TEXT", "words": ["auto", "bypass", "control"], "initial": "auto", "example": "auto", "help": "L4S flows: auto (default: bypass if the queue marks), bypass, or control"},
	{"key": "scone", "form": "TEXT", "words": ["off", "on"], "initial": "off", "example": "on", "help": "write the long-term share of a flow as advice into QUIC's SCONE packets: on, or off (default)"},
	{"key": "share_by", "form": "TEXT", "words": ["flow", "host", "mark"], "initial": "flow", "example": "flow", "help": "what gets equal parts: flow (default), host, prefix:N, or mark"},
	{"key": "beyond", "form": "TEXT", "words": ["none", "pace-acks"], "initial": "none", "example": "none", "help": "with more flows than there is room for: none (default), or pace-acks: fq on the device of --acks delays ACKs"},
	{"key": "exempt", "form": "LIST", "words": [], "initial": "", "example": "192.0.2.0/24, port 22, 2001:db8::1 port 443", "help": "leave flows alone: PREFIX, 'port N' or 'PREFIX port N'; may be repeated; none: no more"},
	{"key": "hook", "form": "TEXT", "words": ["clsact", "tcx"], "initial": "clsact", "example": "clsact", "help": "clsact (default) or tcx"},
	{"key": "acks", "form": "TEXT", "words": [], "initial": "", "example": "lan0", "help": "device by which the ACKs leave, where DEVICE is the ifb behind it"},
	{"key": "flows", "form": "TEXT", "words": [], "initial": "65536", "example": "4096", "help": "that the table holds; default 65536"},
	{"key": "shapes", "form": "TEXT", "words": [], "initial": "", "example": "10000", "help": "subscribers' queues that there is room for, see shape; default none"},
	{"key": "idle", "form": "TEXT", "words": [], "initial": "7440s", "example": "7440s", "help": "time after which a quiet flow is forgotten; default 7440s"},
];

// One setting of a section.
function addSetting(section, { key, form: kind, words, initial, example, help }) {
	if (kind === 'LIST') {
		const list = section.option(form.DynamicList, key, key, help);
		list.placeholder = example;
		return;
	}
	if (kind === 'FLAG') {
		section.option(form.Flag, key, key, help);
		return;
	}
	const text = section.option(form.Value, key, key, help);
	text.placeholder = initial || example;
	text.optional = true;
	for (const word of words)
		text.value(word);
}

return view.extend({
	render() {
		const map = new form.Map('penstock', _('Penstock'),
			_('A section for each interface at a bottleneck. What is wrong is in the system log.'));
		const section = map.section(form.TypedSection, 'gateway');
		section.anonymous = true;
		section.addremove = true;
		section.option(form.Flag, 'enabled', _('Enabled'));
		section.option(widgets.NetworkSelect, 'interface', _('Interface'));
		for (const setting of SETTINGS)
			addSetting(section, setting);
		section.option(form.DynamicList, 'param', 'param', _('KEY=VALUE of the method'));
		return map.render();
	},
});
