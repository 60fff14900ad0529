import { setTimeout as sleep } from 'node:timers/promises';
import { can } from '../../../src/core/driver/abilities.ts';
import type { EventKind } from '../../../src/protocol/traffic.ts';
import { eventually } from '../../support/eventually.ts';
import { must, WORKS, type Cell } from '../cell.ts';
import { eventsOf } from '../evidence.ts';
import { sessionBinding } from '../../../src/core/sessions/bindings.ts';

export const launch: Cell = {
	id: 'launch',
	title: 'Starts in a terminal with a prompt; its session is the worker’s',
	needs: ['hooks'],
	triedAnyway: false,
	run: async lab => {
		const worker = await lab.start({ prompt: 'Begin the work. [[text:I have begun]]' });
		await lab.seen('Begin the work.');
		const session = await worker.session();
		const binding = await sessionBinding(lab.nancy, session);
		must(binding?.address.worker === worker.address.worker, 'its session belongs to another worker');
		const { tasks } = await lab.nancy.tasks();
		must(tasks.length === 1, `it was taken for another task's: ${tasks.map(task => task.name).join(', ')}`);
		return WORKS;
	},
};

const TURN: readonly EventKind[] = ['session-start', 'prompt', 'tool-start', 'tool-end', 'stop'];

/** Told where the driver says that it is. */
const BATCH_END: EventKind = 'batch-end';

export const statusEvents: Cell = {
	id: 'status',
	title: 'Its sidebar row follows it: working with the tool, idle, ended',
	needs: ['hooks'],
	about: 'hooks',
	alsoShows: ['batchEnd'],
	triedAnyway: false,
	run: async lab => {
		const turn = can(lab.driver, 'batchEnd', lab.version) ? [...TURN, BATCH_END] : TURN;
		const worker = await lab.start({ prompt: `${lab.held} [[text:At rest]]` });
		await lab.made('begun');
		await lab.becomes(
			worker.address,
			'working in a tool',
			({ state }) => state.phase === 'working' && state.tool !== undefined,
		);
		lab.letGo();
		// Reports that the agent does not wait for may come after the end of its turn.
		await eventually(`events of every kind a turn has: ${turn.join(', ')}`, async () => {
			await lab.view(worker.address);
			const kinds = (await eventsOf(lab, worker)).map(event => event.kind);
			return turn.every(kind => kinds.includes(kind));
		});
		await worker.idle();
		await worker.terminal.close();
		await lab.becomes(worker.address, 'ended', ({ state }) => state.phase === 'ended');
		return WORKS;
	},
};

export const interrupted: Cell = {
	id: 'interrupted',
	title: 'A turn that the user breaks off shows as idle',
	needs: ['hooks'],
	triedAnyway: true,
	run: async lab => {
		const worker = await lab.start({ prompt: '[[sh:touch begun; sleep 60]] [[text:Unreached]]' });
		await lab.made('begun');
		await lab.becomes(worker.address, 'working', ({ state }) => state.phase === 'working');
		// Some take a key for the question that a tool may still raise.
		await sleep(1500);
		await worker.interrupt();
		await lab.becomes(worker.address, 'idle after an interruption', ({ state }) => state.phase === 'idle');
		return WORKS;
	},
};
