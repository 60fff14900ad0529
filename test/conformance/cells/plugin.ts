import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { choosePlugin } from '../../../src/core/sessions/pluginChoice.ts';
import type { WorkerAddress } from '../../../src/core/workspace/workspace.ts';
import { TrafficRecord } from '../../../src/protocol/traffic.ts';
import { isAtLeast } from '../../../src/base/version.ts';
import { eventually } from '../../support/eventually.ts';
import { must, notPossible, partly, WORKS, type Cell } from '../cell.ts';
import { copiesOf } from '../evidence.ts';
import type { ConformanceLab } from '../lab.ts';
import { promptedByUser, userSession } from './deployment.ts';

export const plugin: Cell = {
	id: 'plugin',
	title: 'By Nancy’s plugin alone it takes messages; with Set Up beside it, each event and each message comes once',
	needs: ['hooks', 'steer', 'feedback'],
	triedAnyway: false,
	lab: { scope: 'none', plugins: true },
	run: async lab => {
		const { plugin: taken } = lab.candidate;
		if (taken === 'none') return notPossible('Nancy’s plugin is in a form that it does not take.');
		if (taken.since && !isAtLeast(lab.version, taken.since.version)) return notPossible(taken.since.because);
		// Some start a server without most variables: both lead there.
		Object.assign(lab.env, { XDG_DATA_HOME: dirname(lab.runtime.dataFolder) });
		mkdirSync(join(lab.home, '.local'), { recursive: true });
		symlinkSync(dirname(lab.runtime.dataFolder), join(lab.home, '.local', 'share'));
		await choosePlugin(lab.nancy.own);
		for (const args of taken.install(join(lab.runtime.dataFolder, 'plugin'))) {
			const { code, stderr, stdout } = await lab.run(args);
			must(code === 0, `${args.join(' ')}: ${stderr || stdout}`);
		}
		if (taken.hooks !== 'run') {
			await withoutHooks(lab);
			return partly(taken.hooks.because);
		}
		await once(lab, 'By the plugin.');
		await lab.deploy('workspace');
		await once(lab, 'By the settings.');
		return WORKS;
	},
};

/** A session that takes a directive and feedback once each, and reports each event once. */
async function once(lab: ConformanceLab, text: string): Promise<void> {
	const address = await userSession(lab, `${lab.held} [[sh:true]] [[text:Not steered]]`);
	await lab.made('begun');
	const directive = await lab.send(address, `${text} [[sh:true]] [[text:Steered]]`);
	const feedback = await lab.send(address, `At the end: ${text} [[text:Fed back]]`, { kind: 'feedback' });
	lab.letGo();
	await lab.delivered(address, directive);
	await lab.delivered(address, feedback);
	const request = await lab.seen(`At the end: ${text}`);
	must(copiesOf(request, `At the end: ${text}`) === 1, 'the model read the feedback twice');
	must(copiesOf(request, text) === 2, 'the model read the directive twice');
	await lab.becomes(address, 'the session is idle', ({ state }) => state.phase === 'idle');
	const calls = await callsOf(lab, address);
	must(calls.length > 0 && new Set(calls).size === calls.length, `an event came twice: ${calls.join(', ')}`);
	for (const file of ['begun', 'go']) rmSync(lab.workspace.file(file));
}

/** The events of tools by their names and the ids of their calls. */
async function callsOf({ nancy }: ConformanceLab, address: WorkerAddress): Promise<string[]> {
	const session = (await nancy.worker(address))?.sessions.at(-1)?.id ?? '';
	const lines = readFileSync(join(nancy.paths.traffic, `${session}.jsonl`), 'utf8')
		.trim()
		.split('\n');
	return lines.flatMap(line => {
		const record = TrafficRecord.parse(JSON.parse(line));
		const { event, toolUseId } = record.type === 'event' ? record.event : {};
		return toolUseId === undefined ? [] : [`${event} ${toolUseId}`];
	});
}

/** The rest of the plugin is offered to the model, and its hooks say nothing. */
async function withoutHooks(lab: ConformanceLab): Promise<void> {
	await promptedByUser(lab, 'What is there? [[sh:true]] [[text:This]]');
	// The second request comes after the hooks around the tool. The first may not wait for the server.
	await eventually('the end of the turn', () => lab.requests().length > 1);
	const offered = JSON.stringify(lab.requests().at(-1)?.body);
	for (const part of ['check-directives', 'get_feedback']) must(offered.includes(part), `the model got no ${part}`);
	must(readdirSync(lab.nancy.paths.spool).length === 0, 'its hooks have reported something');
}
