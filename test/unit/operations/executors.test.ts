import { describe, expect, it } from 'vitest';
import { executorNamed } from '../../../src/operations/shared/executors.ts';
import { isOpenToAgents } from '../../../src/operations/shared/openToAgents.ts';
import type { CommonSettings, ExecutorSettings } from '../../../src/protocol/settings.ts';

const lab: ExecutorSettings = { type: 'ssh', host: 'lab' };
const open: ExecutorSettings = { ...lab, fromAgents: true };
const queue = { type: 'slurm', fromAgents: true } as const;
const settings = (executors: Record<string, ExecutorSettings>, isolate?: 'bwrap'): CommonSettings => ({
	executors,
	...(isolate && { isolate }),
});

describe('a machine', () => {
	it.each([
		['that nobody has named', 'ssh:lab', settings({}), false],
		['by default', 'lab', settings({ lab }), false],
		['that the user has opened', 'lab', settings({ lab: open }), true],
		['that the user has opened, by its id', 'ssh:lab', settings({ lab: open }), true],
		['beside an opened one', 'ssh:other', settings({ lab: open }), false],
		['that another entry does not open', 'lab', settings({ lab: open, own: { ...lab, isolate: 'none' } }), false],
		['with the home folder of this one', 'hpc', settings({ hpc: queue }), false],
		[
			'with the home folder of this one, without a sandbox',
			'hpc',
			settings({ hpc: { ...queue, isolate: 'none' } }, 'bwrap'),
			false,
		],
		[
			'with the home folder of this one, in a sandbox',
			'hpc',
			settings({ hpc: { ...queue, isolate: 'bwrap' } }),
			true,
		],
		['with the home folder of this one, in the sandbox of all', 'hpc', settings({ hpc: queue }, 'bwrap'), true],
		['behind a login host', 'hpc', settings({ hpc: { ...queue, via: 'ssh:login1' } }), true],
	])('%s is open to agents or not: %s', (_, name, given, isOpen) => {
		expect(isOpenToAgents(name, given)).toBe(isOpen);
	});

	it.each(['lab', 'own', 'ssh:lab'])('that two entries name has no limits and no sandbox that are sure: %s', name => {
		expect(() => executorNamed(name, settings({ lab, own: lab }))).toThrow(
			'two entries of "executors" in your settings.json are ssh:lab; leave one of them',
		);
	});
});
