import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openAgentLab, trust } from '../support/agentWorkbench.ts';
import { eventually } from '../support/eventually.ts';
import { tempFolder } from '../support/tempFolder.ts';

it('what is set in VS Code reaches the nancy command: of a workspace only once it is trusted, and nothing of the machine’s', async () => {
	await using folder = tempFolder('ns-');
	const project = folder.file('project');
	const inWorkspace = join(project, '.vscode', 'settings.json');
	mkdirSync(join(project, '.vscode'), { recursive: true });
	const write = (setUp: string) =>
		writeFileSync(
			inWorkspace,
			JSON.stringify({
				'nancy.delegates.worktreeSetUp': setUp,
				'nancy.agents.claude-code.permissionsFromAgents': 'bypassPermissions',
			}),
		);
	write('npm ci');
	const settings = { 'nancy.delegates.max': 3, 'nancy.agents.claude-code.permissionsFromAgents': 'acceptEdits' };
	await using lab = await openAgentLab({ workspace: project, restricted: true, settings });
	const file = join(lab.server.home, '.config', 'nancy', 'settings.json');
	const editor = (): unknown => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).editor : undefined);
	const delegates = { max: 3, permissionsFromAgents: { 'claude-code': 'acceptEdits' } };
	await eventually('the user’s own', () => editor() !== undefined, { timeoutMs: 20_000 });
	expect(editor()).toEqual({ delegates, folders: {} });
	await trust(lab.workbench);
	await eventually('the workspace’s', () => JSON.stringify(editor()).includes('npm ci'), { timeoutMs: 20_000 });
	expect(editor()).toEqual({ delegates, folders: { [project]: { worktreeSetUp: 'npm ci' } } });
	write('make');
	await eventually('a change', () => JSON.stringify(editor()).includes('make'), { timeoutMs: 20_000 });
}, 120_000);
