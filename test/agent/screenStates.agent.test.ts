import { afterEach, describe, it } from 'vitest';
import { readJsonFile } from '../../src/core/files/jsonFile.ts';
import { driverById } from '../../src/drivers/index.ts';
import { ShownScreen, type ShownState } from '../../src/protocol/records.ts';
import { conformanceLab, WORKER, type ConformanceLab } from '../conformance/lab.ts';
import type { AgentUnderTest } from '../support/agents/agentUnderTest.ts';
import { agentsUnderTest } from '../support/agents/index.ts';
import { eventually, HANG_MS } from '../support/eventually.ts';
import { long, longIf } from '../support/long.ts';
import { pinnedAgent } from '../support/pinnedAgent.ts';

const phases = { asking: 'waiting', working: 'working', idle: 'idle' } as const;

/** The others are watched with hooks in tests of their own: what wakes them, and who answers them. */
const BY_HOOKS_ALONE: readonly string[] = ['claude-code', 'codex', 'opencode'];

/** Here the lines at the bottom break, which tell what a CLI does. */
const NARROW = { columns: 50, rows: 30 };

describe('a watched terminal', () => {
	let lab: ConformanceLab;
	afterEach(() => lab[Symbol.asyncDispose]());

	/** Its file says so, and then its row does. */
	const shows = async (state: Exclude<ShownState, 'trust'>) => {
		const file = lab.nancy.paths.screen(WORKER.task, WORKER.worker);
		const isShown = async () => (await readJsonFile(file, ShownScreen))?.state === state;
		await eventually(`the screen shows it ${state}`, isShown, { timeoutMs: HANG_MS }).catch((error: unknown) => {
			throw new Error([String(error), ...lab.screens()].join('\n'));
		});
		await lab.becomes(WORKER, `it is ${phases[state]}`, view => view.state.phase === phases[state]);
	};

	/** @param hooks `off`: without any */
	const asksWorksWaits = async (agent: AgentUnderTest, hooks?: 'off') => {
		const candidate = { agent, driver: driverById(agent.driver)!, installed: pinnedAgent(agent.id) };
		lab = await conformanceLab(candidate, {
			watched: true,
			asks: true,
			...(hooks && { scope: 'none', size: NARROW }),
		});
		const asks = agent.id === 'codex' ? '[[esc:touch made]]' : '[[sh:touch made]]';
		const prompt = `${asks} [[text:All said]]`;
		const worker = await lab.start({ prompt, asks: true, ...(hooks && { hooks }) });
		await shows('asking');
		const letGo = lab.model.hold(({ hasTools }) => hasTools);
		worker.terminal.type(agent.yes);
		await lab.made('made');
		await shows('working');
		letGo();
		await shows('idle');
		return worker;
	};

	for (const agent of agentsUnderTest)
		it(
			`shows without hooks, and narrow, that the real ${agent.id} asks, works and waits`,
			longIf(agent.id !== 'codex'),
			async () => {
				const worker = await asksWorksWaits(agent, 'off');
				await worker.terminal.close();
				await lab.becomes(WORKER, 'it has ended', ({ state }) => state.phase === 'ended');
			},
		);

	for (const agent of agentsUnderTest.filter(({ id }) => BY_HOOKS_ALONE.includes(id)))
		it(
			`shows the same beside the hooks of the real ${agent.id}, which get a message in its next turn`,
			long,
			async () => {
				const worker = await asksWorksWaits(agent);
				await lab.send(WORKER, 'Begin with the log.');
				await worker.submit('[[text:Said again]]');
				await lab.seen('Begin with the log.');
				await lab.becomes(WORKER, 'it is idle', view => view.state.phase === 'idle' && view.queued === 0);
			},
		);
});
