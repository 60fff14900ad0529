import { execFileSync } from 'node:child_process';
import { anchorAt, freshnessOf, lineHashes, type LineHashes } from '../../src/core/memory/freshness.ts';
import { repository } from '../support/programs.ts';
import type { Row } from './table.ts';

/** How many commits of the first parents lie between a note and the look at it. */
const DISTANCES = [20, 100, 200];
/** How many pairs of commits are compared for each distance. */
const PAIRS = 6;
/** At most, of a pair of commits. */
const NOTES = 200;
const LINES = 5;

/** In bytes. */
const MOST = 512 * 1024 * 1024;

const git = (...args: string[]) => execFileSync('git', args, { cwd: repository, encoding: 'utf8', maxBuffer: MOST });

/** What notes say of their lines, against what git says of them, on this repository's own history. */
export function benchFreshness(): Row[] {
	const commits = git('rev-list', '--first-parent', 'HEAD').trim().split('\n');
	return DISTANCES.flatMap(distance => {
		const room = commits.length - distance;
		if (room < PAIRS) return [];
		const count = { same: 0, wrongly: 0, changed: 0, rightly: 0 };
		for (let pair = 0; pair < PAIRS; pair++) {
			const at = Math.floor((pair * room) / PAIRS);
			compare(commits[at + distance] ?? '', commits[at] ?? '', count);
		}
		const share = (some: number, all: number) => `${((100 * some) / Math.max(all, 1)).toFixed(1)} %`;
		return {
			what: `"changed" ${distance} commits later, of notes whose lines git says are the same`,
			value: share(count.wrongly, count.same),
			against: `of ${count.same}; of ${count.changed} whose lines are others: ${share(count.rightly, count.changed)}`,
			goal: '',
		};
	});
}

interface Count {
	/** By git. */
	same: number;
	changed: number;
	/** Of these, by Nancy "changed" or "gone". */
	wrongly: number;
	rightly: number;
}

function compare(before: string, after: string, count: Count): void {
	const changes = changesBetween(before, after);
	const paths = git('ls-tree', '-r', '--name-only', before, 'src', 'scripts', 'docs').trim().split('\n');
	const chosen = [
		...new Set(Array.from({ length: NOTES }, (_, at) => paths[Math.floor((at * paths.length) / NOTES)] ?? '')),
	];
	const [then, now] = [textsOf(before, chosen), textsOf(after, chosen)];
	for (const [at, path] of chosen.entries()) {
		const lines = then.get(path);
		if (!lines || lines.length <= LINES) continue;
		const from = 1 + ((at * 7919) % (lines.length - LINES));
		const anchor = anchorAt(path, lines, from, from + LINES - 1);
		if (!anchor) continue;
		const freshness = freshnessOf({ anchors: [anchor] }, each => now.get(each), undefined);
		const isAlarm = freshness === 'changed' || freshness === 'gone';
		if (changes(path, from, from + LINES - 1)) {
			count.changed++;
			if (isAlarm) count.rightly++;
		} else {
			count.same++;
			if (isAlarm) count.wrongly++;
		}
	}
}

/** The files of a commit, by their paths; those that it does not have are left out. */
function textsOf(commit: string, paths: readonly string[]): Map<string, LineHashes> {
	const input = paths.map(path => `${commit}:${path}\n`).join('');
	const output = execFileSync('git', ['cat-file', '--batch'], { cwd: repository, input, maxBuffer: MOST });
	const found = new Map<string, LineHashes>();
	let at = 0;
	for (const path of paths) {
		const end = output.indexOf('\n', at);
		const [, length] = /^[0-9a-f]+ blob (\d+)$/.exec(output.toString('utf8', at, end)) ?? [];
		at = end + 1;
		if (length === undefined) continue;
		found.set(path, lineHashes(output.toString('utf8', at, at + Number(length))));
		at += Number(length) + 1;
	}
	return found;
}

/** Whether lines of a file were changed, parted or removed. A file that was renamed as it is has its lines. */
function changesBetween(before: string, after: string): (path: string, from: number, to: number) => boolean {
	const hunks = new Map<string, (readonly [number, number])[]>();
	let path = '';
	for (const line of git('diff', '--no-ext-diff', '-w', '-U0', '-M', before, after).split('\n')) {
		const [, old] = /^--- (?:a\/(.*)|\/dev\/null)$/.exec(line) ?? [];
		if (old !== undefined) path = old;
		const [, start, length = '1'] = /^@@ -(\d+)(?:,(\d+))? /.exec(line) ?? [];
		if (start === undefined) continue;
		const own = hunks.get(path) ?? [];
		own.push([Number(start), Number(length)]);
		hunks.set(path, own);
	}
	return (file, from, to) =>
		(hunks.get(file) ?? []).some(([start, length]) =>
			// Without lines of its own a hunk stands between a line and the next one.
			length === 0 ? start >= from && start < to : start <= to && start + length - 1 >= from,
		);
}
