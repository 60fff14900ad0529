import { afterEach, describe, it } from 'vitest';
import { readJsonFile } from '../../src/core/files/jsonFile.ts';
import { driverById } from '../../src/drivers/index.ts';
import { ShownScreen, type ShownState } from '../../src/protocol/records.ts';
import { conformanceLab, WORKER, type ConformanceLab } from '../conformance/lab.ts';
import { agentsUnderTest } from '../support/agents/index.ts';
import { eventually, HANG_MS } from '../support/eventually.ts';
import { longIf } from '../support/long.ts';
import { pinnedAgent } from '../support/pinnedAgent.ts';

const phases = { asking: 'waiting', working: 'working', idle: 'idle' } as const;

describe('a watched terminal without hooks', () => {
	let lab: ConformanceLab;
	afterEach(() => lab[Symbol.asyncDispose]());

	/** Its file says so, and then its row does. */
	const shows = async (state: Exclude<ShownState, 'trust'>) => {
		const file = lab.nancy.paths.workerScreen(WORKER.task, WORKER.worker);
		const isShown = async () => (await readJsonFile(file, ShownScreen))?.state === state;
		await eventually(`the screen shows it ${state}`, isShown, { timeoutMs: HANG_MS }).catch((error: unknown) => {
			throw new Error([String(error), ...lab.screens()].join('\n'));
		});
		await lab.becomes(WORKER, `it is ${phases[state]}`, view => view.state.phase === phases[state]);
	};

	for (const agent of agentsUnderTest)
		it(`shows that the real ${agent.id} asks, works and waits`, longIf(agent.id !== 'codex'), async () => {
			const candidate = { agent, driver: driverById(agent.driver)!, installed: pinnedAgent(agent.id) };
			lab = await conformanceLab(candidate, { watched: true, asks: true, scope: 'none' });
			const asks = agent.id === 'codex' ? '[[esc:touch made]]' : '[[sh:touch made]]';
			const worker = await lab.start({ prompt: `${asks} [[text:All said]]`, asks: true, hooks: 'off' });
			await shows('asking');
			const letGo = lab.model.hold(({ hasTools }) => hasTools);
			worker.terminal.type(agent.yes);
			await lab.made('made');
			await shows('working');
			letGo();
			await shows('idle');
			await worker.terminal.close();
			await lab.becomes(WORKER, 'it has ended', ({ state }) => state.phase === 'ended');
		});
});
