import { describe, expect, it } from 'vitest';
import type { Delegate } from '../../../../src/core/delegates/delegate.ts';
import { DelegateFiles } from '../../../../src/core/delegates/files.ts';
import { DelegateId, DelegateRecord, DelegateStatus } from '../../../../src/protocol/delegate.ts';
import { labelsOf } from '../../../../src/ui/delegates/delegateLabels.ts';

interface Seed {
	id: string;
	title?: string;
	group?: string;
	agent?: string;
	/** The folder of a worktree of its own. */
	worktree?: string;
	/** The folder that it works in. */
	folder?: string;
}

function delegate({ id, title = 'Fix it', group, agent = 'heron', worktree, folder = '/p' }: Seed): Delegate {
	const record = DelegateRecord.parse({
		version: 1,
		id,
		title,
		createdAt: '2026-01-01T00:00:00.000Z',
		agent,
		permissions: 'default',
		place: worktree ? { is: 'worktree', folder, withChanges: false } : { is: 'folder', folder },
		limits: {},
		task: 'delegates',
		worker: 'delegate-1',
		group,
	});
	const made = worktree && { repository: '/p', folder: worktree, branch: `nancy/${id}`, base: '0'.repeat(40) };
	const status = DelegateStatus.parse({ task_id: DelegateId.parse(id), status: 'done', worktree: made });
	return { record, status, files: new DelegateFiles(`/p/${id}`, []), state: 'done' };
}

const words = {
	title: ({ record }: Delegate) => record.title,
	agent: ({ record }: Delegate) => record.agent,
	round: (label: string, round: number) => `${label} · round ${round}`,
};

/** Row and full label of each, in the order given. */
function labels(...seeds: readonly Seed[]): [row: string, full: string][] {
	const all = seeds.map(delegate);
	const found = labelsOf(all, words);
	return all.map(each => [found.row(each), found.full(each)]);
}

describe('the labels of delegates', () => {
	it('are their titles, and number those that come later with the same one, however they are listed', () => {
		const [later, first, other] = labels({ id: 'b' }, { id: 'a' }, { id: 'c', title: 'Paint it' });
		expect([first, later, other]).toEqual([
			['Fix it', 'Fix it'],
			['Fix it · 2', 'Fix it · 2'],
			['Paint it', 'Paint it'],
		]);
	});

	it('say which round it is of those sent back to the same worktree, also below its top folder', () => {
		expect(
			labels(
				{ id: 'a', worktree: '/p.worktrees/a' },
				{ id: 'b', folder: '/p.worktrees/a' },
				{ id: 'c', folder: '/p.worktrees/a/deep' },
				{ id: 'd', worktree: '/p.worktrees/d' },
			).map(([row]) => row),
		).toEqual(['Fix it', 'Fix it · round 2', 'Fix it · round 3', 'Fix it · 2']);
	});

	it('are those of their agents below a group, and with its title elsewhere', () => {
		expect(
			labels(
				{ id: 'a', group: 'g' },
				{ id: 'b', group: 'g', agent: 'ibis' },
				{ id: 'c', group: 'g', agent: 'ibis' },
				{ id: 'd' },
			),
		).toEqual([
			['heron', 'Fix it · heron'],
			['ibis', 'Fix it · ibis'],
			['ibis · 2', 'Fix it · ibis · 2'],
			['Fix it · 2', 'Fix it · 2'],
		]);
	});

	it('are titles again where a group has one left', () => {
		expect(labels({ id: 'a', group: 'g' })).toEqual([['Fix it', 'Fix it']]);
	});

	it('are never the same, also where two members of a group were sent back', () => {
		const rows = labels(
			{ id: 'a', group: 'g', worktree: '/w/a' },
			{ id: 'b', group: 'g', worktree: '/w/b' },
			{ id: 'c', folder: '/w/a' },
			{ id: 'd', folder: '/w/b' },
		).map(([, full]) => full);
		expect(new Set(rows).size).toBe(4);
	});

	it('are found without a look at all delegates for each', () => {
		let looks = 0;
		const all = Array.from({ length: 300 }, (_, at) => {
			const { record, ...rest } = delegate({ id: `d${at}`, group: `g${at % 150}`, agent: `a${at}` });
			return {
				...rest,
				get record() {
					looks++;
					return record;
				},
			};
		});
		const found = labelsOf(all, words);
		expect(new Set(all.map(each => found.full(each))).size).toBe(300);
		expect(looks).toBeLessThan(300 * 50);
	});
});
