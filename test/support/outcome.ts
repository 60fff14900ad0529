import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { PreparedWorker } from './preparedWorker.ts';

/**
 * Everything that a hook has left behind, with the same words for what differs between two workers: places, ids, processes and times.
 */
export function outcome(worker: PreparedWorker, stdout: string): object {
	const { folder, paths, own } = worker.workspace;
	const plain = (text: string) =>
		text
			.replaceAll(folder, '<folder>')
			.replaceAll(worker.session, '<session>')
			.replace(/\d{8}T\d{9}Z-[0-9a-f]{8}/g, '<id>')
			.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>')
			.replace(/\d+@[0-9a-z.]+-\d+(?=-)/g, '<process>')
			.replace(/"(pid|startedTicks)": \d+/g, '"$1": 0')
			.replace(/~[\d-]+(-note)?\.json/, '~<unique>.json')
			.trimEnd();
	const files = (root: string) => {
		const names = existsSync(root) ? readdirSync(root, { recursive: true, encoding: 'utf8' }) : [];
		return names
			.filter(
				name => statSync(join(root, name), { throwIfNoEntry: false })?.isFile() && !name.endsWith('.boundary'),
			)
			.map(name => `${plain(name)}\n${plain(readFileSync(join(root, name), 'utf8'))}`)
			.sort();
	};
	return {
		stdout: plain(stdout),
		tasks: files(paths.tasks),
		spool: files(paths.spool),
		marks: [paths.phases, paths.halts, paths.sessions].map(files),
		seals: files(own.path('mail')),
		machines: readdirSync(paths.machines).length,
	};
}
