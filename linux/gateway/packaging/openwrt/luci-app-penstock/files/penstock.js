// SPDX-License-Identifier: GPL-2.0-only
// Status > Penstock: what `penstock-gw status -j` and `flows -j` tell, every two seconds.
'use strict';
'require view';
'require poll';
'require fs';
'require penstock.chart as chart';

const TOOL = '/usr/sbin/penstock-gw';
const EVERY_S = 2;
const MOST_FLOWS = 20;

const STYLE = `
.penstock svg { width: 100%; height: 14rem; }
.penstock svg text { fill: currentColor; font-size: 12px; }
.penstock svg path { fill: none; }
.penstock svg .grid { stroke: currentColor; opacity: .2; }
.penstock .one { stroke: #0072b2; stroke-width: 2; }
.penstock .two { stroke: #d55e00; stroke-width: 2; stroke-dasharray: 7 3; }
.penstock .mark { stroke: currentColor; stroke-width: 1.5; stroke-dasharray: 2 3; }
.penstock svg .lost { fill: #d55e00; }
.penstock svg .cursor { stroke: currentColor; }
.penstock .legend span { margin-right: 1.2rem; }
.penstock .legend svg { width: 2rem; height: .7rem; margin-right: .4rem; }
.penstock .readout { min-height: 1.4em; }
[data-darkmode="true"] .penstock .one { stroke: #56b4e9; }
[data-darkmode="true"] .penstock .two { stroke: #f0a202; }
[data-darkmode="true"] .penstock svg .lost { fill: #f0a202; }
`;

const rate = (bps) => '%1000.2mbit/s'.format(bps);
const size = (bytes) => '%1000.2mB'.format(bytes);
const time = (ns) => '%.1f ms'.format(ns / 1e6);

// All devices; a state other than live is an exit code as well.
function status() {
	return fs.exec(TOOL, [ 'status', '-j' ]).then((done) => {
		if (done.stdout)
			return JSON.parse(done.stdout);
		throw new Error(done.stderr || _('penstock-gw ended with code %d').format(done.code));
	});
}

// Past ubus, which bounds the size of an answer.
function flowsOf(device) {
	return L.resolveDefault(fs.exec_direct(TOOL, [ 'flows', '-j', device ], 'json'), { flows: [] });
}

function look() {
	return status().then((all) => Promise.all(all.map((one) =>
		flowsOf(one.device).then(({ flows }) => ({ status: one, flows })))));
}

function table(titles) {
	return E('table', { 'class': 'table' }, [
		E('tr', { 'class': 'tr table-titles' }, titles.map((title) => E('th', { 'class': 'th' }, title))),
	]);
}

function figure(title, draw) {
	const box = E('div', {}, [ E('h4', {}, title) ]);
	const svg = chart.svgElement('svg', { tabindex: 0, role: 'img', 'aria-label': title }, box);
	box.append(E('div', { 'class': 'legend' }), E('div', { 'class': 'readout', 'aria-live': 'polite' }));
	return { box, drawn: draw(svg) };
}

// One device: its section of the page, and what was seen of it before.
class Section {
	constructor(device) {
		this.samples = [];
		this.points = [];
		this.sent_bytes = new Map();
		this.state = E('p', { 'class': 'state' });
		this.queue = figure(_('Queue: time that a new packet waits, ms'), chart.queueChart);
		this.rate = figure(_('Rate: what arrives at the queue, Mbit/s'), chart.rateChart);
		this.flows = table([ _('Sender'), _('Receiver'), _('Rate'), _('Round trip'), _('Window'),
			_('Offered'), _('Limited by') ]);
		this.bypassed = table([ _('Packets'), _('Not controlled, or held') ]);
		this.box = E('div', { 'class': 'cbi-section', 'data-device': device }, [
			E('h3', {}, device), this.state, this.queue.box, this.rate.box,
			E('h4', {}, _('Flows that send most, and what limits each')), this.flows,
			E('h4', {}, _('Traffic that no window controls')), this.bypassed,
		]);
	}

	show(status, flows) {
		const sample = { time_s: Date.now() / 1e3, line: status };
		const last = this.samples.at(-1);
		this.samples = [ sample ];
		this.points.push(chart.pointOf(status, sample, last, last));
		this.points = this.points.filter(({ time_s }) => time_s >= sample.time_s - chart.SPAN_S);
		this.queue.drawn.show(this.points);
		this.rate.drawn.show(this.points);
		this.showState(status);
		this.showFlows(flows, last ? sample.time_s - last.time_s : 0);
		this.showBypassed(status);
	}

	showState(status) {
		const target = status.target_ns ? _('target %s').format(time(status.target_ns)) : null;
		this.state.textContent = [
			status.state, status.reason, status.warning,
			'%s, %s'.format(status.method, rate(status.rate_bps)),
			_('queue %s of %s').format(size(status.queue_bytes), size(status.buffer_bytes)), target,
			_('%d flows').format(status.flows_active), _('%d drops').format(status.queue_drops),
		].filter((text) => text).join('; ');
	}

	showFlows(flows, passed_s) {
		const rows = flows.map((flow) => {
			const name = `${flow.sender} ${flow.receiver}`;
			const before = this.sent_bytes.get(name) ?? flow.sent_bytes;
			return { flow, name, bps: passed_s ? 8 * Math.max(flow.sent_bytes - before, 0) / passed_s : 0 };
		});
		this.sent_bytes = new Map(rows.map(({ flow, name }) => [ name, flow.sent_bytes ]));
		rows.sort((a, b) => b.bps - a.bps || b.flow.sent_bytes - a.flow.sent_bytes);
		cbi_update_table(this.flows, rows.slice(0, MOST_FLOWS).map(({ flow, bps }) => [
			flow.sender, flow.receiver, rate(bps), flow.rtt_ns ? time(flow.rtt_ns) : '-',
			flow.bypass ? '-' : size(flow.window_sent_bytes), size(flow.window_offered_bytes),
			flow.bypass ? _('passes unchanged: %s').format(flow.bypass) : flow.decided_by,
		]), E('em', {}, _('No flow is known.')));
	}

	showBypassed(status) {
		const held = [ 'early_drops', 'early_marks' ].filter((name) => status[name])
			.map((name) => [ `${status[name]}`, _('%s by %s').format(name, status.discipline) ]);
		const passed = Object.entries(status.bypassed).filter(([ , count ]) => count)
			.sort(([ , a ], [ , b ]) => b - a).map(([ name, count ]) => [ `${count}`, name ]);
		cbi_update_table(this.bypassed, [ ...held, ...passed ], E('em', {}, _('None.')));
	}
}

return view.extend({
	load: look,

	render(first) {
		const sections = new Map();
		const none = E('p', { 'class': 'none' }, _('penstock-gw is not attached to any device.'));
		const page = E('div', { 'class': 'penstock' }, [
			E('style', {}, STYLE), E('h2', {}, _('Penstock')), none,
		]);
		const show = (all) => {
			none.hidden = all.length > 0;
			const devices = new Set(all.map(({ status }) => status.device));
			for (const [ device, section ] of sections)
				if (!devices.has(device)) {
					section.box.remove();
					sections.delete(device);
				}
			for (const { status, flows } of all) {
				if (!sections.has(status.device)) {
					sections.set(status.device, new Section(status.device));
					page.append(sections.get(status.device).box);
				}
				sections.get(status.device).show(status, flows);
			}
		};
		show(first);
		poll.add(() => look().then(show), EVERY_S);
		return page;
	},

	handleSaveApply: null,
	handleSave: null,
	handleReset: null
});
