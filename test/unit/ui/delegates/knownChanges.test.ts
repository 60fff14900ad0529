import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { KnownChanges } from '../../../../src/ui/delegates/knownChanges.ts';
import { keyOf } from '../../../../src/ui/delegates/changesOf.ts';
import type { ChangedFile, ChangesOf, Folder } from '../../../../src/ui/ports.ts';
import { TaskName } from '../../../../src/protocol/names.ts';

// Only handed on.
const folder = { path: '/workspace' } as unknown as Folder;
const worktree = (name: string): ChangesOf => ({
	worktree: { repository: '/repository', folder: `/wt/${name}`, branch: `nancy/${name}`, base: '0'.repeat(40) },
});

function lab() {
	const asked: string[] = [];
	const answers: ((insertions: number | undefined, files: readonly ChangedFile[]) => void)[] = [];
	let nowMs = 100_000;
	const counts = new KnownChanges(
		(_, of) => {
			asked.push(keyOf(folder, of));
			return new Promise((resolve, reject) =>
				answers.push((insertions, files) =>
					insertions === undefined ? reject(new Error('gone')) : resolve({ files, insertions, deletions: 1 }),
				),
			);
		},
		() => nowMs,
	);
	let changes = 0;
	counts.onDidChange(() => changes++);
	const answer = async (insertions: number | undefined, ...files: readonly ChangedFile[]) => {
		await turn();
		answers.shift()?.(insertions, files);
		await turn();
		await turn();
	};
	return { counts, asked, answer, changes: () => changes, pass: (ms: number) => (nowMs += ms) };
}

it('asks once for each thing that has happened, and says when there is another answer', async () => {
	const { counts, asked, answer, changes, pass } = lab();
	const of = (mark: string) => counts.of(folder, worktree('a'), 'worker', mark)?.insertions;
	expect([of('1'), of('1')]).toEqual([undefined, undefined]);
	await answer(5);
	expect([of('1'), changes()]).toEqual([5, 1]);
	expect(of('2')).toBe(5);
	await turn();
	expect(asked).toHaveLength(1);
	pass(10_000);
	expect(of('2')).toBe(5);
	await answer(5);
	expect([of('2'), changes(), asked.length]).toEqual([5, 1, 2]);
	pass(60_000);
	of('2');
	await turn();
	expect(asked).toHaveLength(2);
});

it('asks of one worktree at a time, also after a failure', async () => {
	const { counts, asked, answer, changes } = lab();
	for (const name of ['a', 'b']) counts.of(folder, worktree(name), 'worker', '1');
	await turn();
	expect(asked).toEqual(['/wt/a']);
	await answer(undefined);
	expect(asked).toEqual(['/wt/a', '/wt/b']);
	await answer(3);
	expect(counts.of(folder, worktree('a'), 'worker', '1')).toBeUndefined();
	expect(counts.of(folder, worktree('b'), 'worker', '1')).toMatchObject({ insertions: 3, deletions: 1 });
	expect(changes()).toBe(1);
});

it('asks nothing of a task in the folder while no turn of it has ended', async () => {
	const { counts, asked, answer } = lab();
	const of = { task: TaskName.parse('fix') };
	expect(counts.of(folder, of, 'worker', undefined)).toBeUndefined();
	await turn();
	expect(asked).toEqual([]);
	counts.of(folder, of, 'worker', 'worker 1');
	await answer(2);
	expect(asked).toEqual(['/workspace//fix']);
	expect(counts.of(folder, of, 'worker', undefined)).toMatchObject({ insertions: 2, deletions: 1 });
});

it('asks again once the workspace is trusted, though nothing has happened since git could not be asked', async () => {
	const { counts, asked, answer, changes } = lab();
	const of = () => counts.of(folder, worktree('a'), 'worker', '1')?.insertions;
	of();
	await answer(undefined);
	expect([of(), asked.length]).toEqual([undefined, 1]);
	counts.lookAgain();
	expect([of(), changes()]).toEqual([undefined, 1]);
	await answer(5);
	expect([of(), changes(), asked.length]).toEqual([5, 2, 2]);
});

it('keeps the first fifty files and the number of the others, and says when another file has changed', async () => {
	const { counts, answer, changes, pass } = lab();
	const file = (path: string): ChangedFile => ({ path, status: 'added', lines: { insertions: 1, deletions: 0 } });
	const look = (mark: string) => counts.of(folder, worktree('a'), 'worker', mark);
	const many = Array.from({ length: 52 }, (_, number) => file(`${number}.txt`));
	look('1');
	await answer(52, ...many);
	const known = look('1');
	expect([known?.files.length, known?.files.at(-1)?.path, known?.more]).toEqual([50, '49.txt', 2]);
	// The same lines in the same files, and a row must not be drawn again.
	pass(10_000);
	look('2');
	await answer(52, ...many);
	expect([look('2') === known, changes()]).toEqual([true, 1]);
	// The same number of lines in another file.
	pass(10_000);
	look('3');
	await answer(52, file('other.txt'), ...many.slice(1));
	expect([look('3')?.files[0]?.path, changes()]).toEqual(['other.txt', 2]);
});

it('asks once for each thing that one of two has done in the same worktree, and then no more', async () => {
	const { counts, asked, answer, pass } = lab();
	const draw = (worker: string, delegate: string) => [
		counts.of(folder, worktree('a'), 'worker', worker)?.insertions,
		counts.of(folder, worktree('a'), 'delegate', delegate)?.insertions,
	];
	draw('idle', 'running 1');
	await answer(5);
	// The delegate was first drawn while changes that git had just told were left alone.
	pass(10_000);
	expect(draw('idle', 'running 1')).toEqual([5, 5]);
	await answer(5);
	for (let round = 0; round < 3; round++) {
		pass(10_000);
		draw('idle', 'running 1');
		await answer(5);
	}
	expect(asked).toHaveLength(2);
	draw('idle', 'running 2');
	await answer(6);
	expect([...draw('idle', 'running 2'), asked.length]).toEqual([6, 6, 3]);
});
