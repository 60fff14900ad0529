import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { configFolder } from '../../../src/base/folders.ts';
import { IN_WINDOW, type Asker } from '../../../src/core/asker/asker.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import * as operations from '../../../src/operations/index.ts';
import { perform } from '../../../src/operations/operation.ts';
import { ProjectName } from '../../../src/protocol/memoryNames.ts';
import { DriverId, FIRST_WORKER, TaskName } from '../../../src/protocol/names.ts';
import { agentAt, contextOf } from '../../support/operationContext.ts';
import { ToldProject } from '../../support/toldProject.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';
import { fakeClaude } from '../cli/fakeClaude.ts';

const ANSWER = JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'The answer.' });

let folder: TempFolder;
beforeEach(() => {
	folder = tempFolder('nancy-run-operation-');
	mkdirSync(folder.file('project/sub'), { recursive: true });
});
afterEach(() => {
	vi.unstubAllEnvs();
	return folder.remove();
});

interface Asked {
	asker?: Asker;
	does?: string;
	folder?: string;
	outputFile?: string;
	permissions?: string;
	extra?: string[];
}

const readSettings = vi.fn(() => Promise.resolve({}));

async function ask({ asker = IN_WINDOW, does = `cat > /dev/null; echo '${ANSWER}'`, ...asked }: Asked) {
	vi.stubEnv('FAKE_CLAUDE', does);
	const project = folder.file('project');
	const ends = new AbortController();
	const workspace = new Workspace(project, folder.file('data'));
	const context = contextOf(folder, workspace, {
		env: { HOME: folder.path, PATH: fakeClaude(folder.file('bin')) },
		readSettings,
	});
	const input = { prompt: 'x', folder: project, extra: [], ...asked };
	const lines: string[] = [];
	const show = (line: string) => {
		lines.push(line);
		ends.abort();
	};
	const done = await perform(await operations.run(), asker, input, { ...context, show, signal: ends.signal });
	return { ...done, lines };
}

it('an agent is run without a command line, and its answer is in the output and in a file', async () => {
	const file = folder.file('out.txt');
	const { run, ending } = await ask({ outputFile: file });
	expect({ run, ending }).toMatchObject({ run: { ok: true, output: 'The answer.' }, ending: 'result' });
	expect(readFileSync(file, 'utf8')).toBe('The answer.');
});

it('an agent without hooks gets the notes of the project before its prompt', async () => {
	const said = folder.file('said.txt');
	const does = `cat > '${said}'; echo '${ANSWER}'`;
	await ask({ does });
	expect(readFileSync(said, 'utf8')).not.toContain('Nancy');

	const workspace = new Workspace(folder.file('project'), folder.file('data'));
	const config = configFolder({ HOME: folder.path });
	await new ToldProject(workspace, config).note(['npm test needs DB_URL.']);
	await ask({ does });
	expect(readFileSync(said, 'utf8')).toMatch(/<!-- Nancy: project my-feature [^]*- npm test needs DB_URL\.[^]*x/);

	await new ToldProject(workspace, config).memory.setStatus(ProjectName.parse('my-feature'), 'archived');
	await ask({ does });
	expect(readFileSync(said, 'utf8')).not.toContain('Nancy');
});

it('an agent starts all the same if the notes cannot be read', async () => {
	const config = configFolder({ HOME: folder.path });
	const workspace = new Workspace(folder.file('project'), folder.file('data'));
	await new ToldProject(workspace, config).note(['npm test needs DB_URL.']);
	writeFileSync(join(config, 'config.toml'), '[context');
	const { run } = await ask({});
	expect(run).toMatchObject({ ok: true, output: 'The answer.' });
});

it('whoever sees its steps can end it', async () => {
	const step = { type: 'assistant', message: { content: [{ type: 'tool_use', name: 'Bash', input: {} }] } };
	const does = `cat > /dev/null; echo '${JSON.stringify(step)}'; sleep 600`;
	const { run, ending, lines } = await ask({ does });
	expect({ run, ending }).toMatchObject({
		run: { ok: false, reason: 'cancelled', toolCalls: 1 },
		ending: 'cancelled',
	});
	expect(lines).toHaveLength(1);
});

it('an agent that asks gets no file written, and no agent run elsewhere, with arguments or with other permissions', async () => {
	const asker = {
		...agentAt(folder, { task: TaskName.parse('fix'), worker: FIRST_WORKER }),
		driver: DriverId.parse('claude-code'),
	};
	const refused: Asked[] = [
		{ outputFile: folder.file('project/out.txt') },
		{ folder: folder.file('project/sub') },
		{ extra: ['--dangerously-skip-permissions'] },
		{ permissions: 'bypassPermissions' },
	];
	for (const asked of refused) {
		await expect(ask({ asker, ...asked })).rejects.toMatchObject({
			code: 'not-trusted',
			message: expect.stringContaining('an agent may not'),
		});
	}
	expect(existsSync(folder.file('bin/args'))).toBe(false);
	expect(existsSync(folder.file('project/out.txt'))).toBe(false);
});

it.each([IN_WINDOW, 'an agent'] as const)('the user’s settings are read once for %j', async who => {
	readSettings.mockClear();
	const asker = who === 'an agent' ? { ...agentAt(folder), driver: DriverId.parse('claude-code') } : who;
	expect(await ask({ asker })).toMatchObject({ ending: 'result' });
	expect(readSettings).toHaveBeenCalledOnce();
});
