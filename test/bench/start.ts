import { join } from 'node:path';
import { timeInShell } from './shellLoop.ts';
import { milliseconds, type Row } from './table.ts';

const CLI = join(import.meta.dirname, '../../dist/nancy.js');

/** What starting `nancy` costs beyond starting Node. */
export async function benchStart(): Promise<Row[]> {
	const node = `'${process.execPath}'`;
	const times = timeInShell(
		'/dev/null',
		[
			{ name: 'node', command: `${node} -e 0`, runs: 1 },
			{ name: 'version', command: `${node} '${CLI}' --version`, runs: 1 },
		],
		9,
	);
	const [bare = 0, version = 0] = ['node', 'version'].map(name => times.get(name) ?? 0);
	return [
		{
			what: 'nancy --version',
			value: milliseconds(version),
			against: `node -e 0 ${milliseconds(bare)}`,
			ratio: version / bare,
			goal: '',
		},
	];
}
