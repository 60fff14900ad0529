import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openAgentLab, trust } from '../support/agentWorkbench.ts';
import { eventually } from '../support/eventually.ts';
import { tempFolder } from '../support/tempFolder.ts';

it('what is set in VS Code reaches the nancy command: of a workspace only once it is trusted, and no command or permission', async () => {
	await using folder = tempFolder('ns-');
	const project = folder.file('project');
	const inWorkspace = join(project, '.vscode', 'settings.json');
	mkdirSync(join(project, '.vscode'), { recursive: true });
	const write = (idleMinutes: number) =>
		writeFileSync(
			inWorkspace,
			JSON.stringify({
				'nancy.delegates.idleMinutes': idleMinutes,
				'nancy.delegates.worktreeSetUp': 'sh bad.sh',
				'nancy.delegates.worktreeTearDown': 'sh bad.sh',
				'nancy.agents.claude-code.permissionsFromAgents': 'bypassPermissions',
			}),
		);
	write(3);
	const settings = {
		'nancy.delegates.max': 3,
		'nancy.delegates.worktreeSetUp': 'npm ci',
		'nancy.agents.claude-code.permissionsFromAgents': 'acceptEdits',
	};
	await using lab = await openAgentLab({ workspace: project, restricted: true, settings });
	const file = join(lab.server.home, '.config', 'nancy', 'settings.json');
	const editor = (): unknown => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).editor : undefined);
	const delegates = { max: 3, worktreeSetUp: 'npm ci', permissionsFromAgents: { 'claude-code': 'acceptEdits' } };
	await eventually('the user’s own', () => editor() !== undefined, { timeoutMs: 20_000 });
	expect(editor()).toEqual({ delegates, folders: {} });
	await trust(lab.workbench);
	await eventually('the workspace’s', () => JSON.stringify(editor()).includes('"idleMinutes":3'), {
		timeoutMs: 20_000,
	});
	expect(editor()).toEqual({ delegates, folders: { [project]: { idleMinutes: 3 } } });
	write(4);
	await eventually('a change', () => JSON.stringify(editor()).includes('"idleMinutes":4'), { timeoutMs: 20_000 });
}, 120_000);
