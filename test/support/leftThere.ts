import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { REMOTE_MARK } from '../../src/executors/jobFiles.ts';
import { markedProcesses } from '../../src/process/marked.ts';
import type { SshLab } from './sshLab.ts';

/** What a job has left on the other machine. */
export async function leftThere({ home }: SshLab, id: string) {
	const root = join(home, '.nancy-remote');
	const below = (name: string) => (existsSync(join(root, name)) ? readdirSync(join(root, name)) : []);
	const refs = below('repos').flatMap(name =>
		execFileSync('git', ['--git-dir', join(root, 'repos', name), 'for-each-ref', '--format=%(refname)'], {
			encoding: 'utf8',
		})
			.split('\n')
			.filter(Boolean),
	);
	const processes = await markedProcesses(REMOTE_MARK, id);
	const records = [...below('nancy/workspaces'), ...below('nancy/agents')];
	return { jobs: below('jobs'), refs, processes, records };
}
export const NOTHING = { jobs: [], refs: [], processes: [], records: [] };
