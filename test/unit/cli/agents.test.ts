import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tempFolder } from '../../support/tempFolder.ts';
import { fakeAgent, fakeClaude } from './fakeClaude.ts';
import { NancyCommand } from './nancyCommand.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build();
});
afterAll(() => nancy[Symbol.asyncDispose]());

describe('nancy agents', () => {
	it('lists what can be started, and why the others cannot, and writes nothing', async () => {
		await using folder = tempFolder('nancy-agents-');
		fakeClaude(folder.file('agent'), '2.1.118');
		fakeAgent(folder.file('agent'), 'goose', '1.0.0');
		const settings = join(nancy.configFolder, 'nancy', 'settings.json');
		for (const each of [folder.file('project'), dirname(settings)]) mkdirSync(each, { recursive: true });
		const agentServers = { goose: { command: 'goose' }, gone: { command: 'gone' }, wrong: { command: 5 } };
		writeFileSync(settings, JSON.stringify({ agentServers }), { mode: 0o600 });
		const env = { PATH: folder.file('agent'), HOME: folder.path };
		const call = { cwd: folder.file('project'), env };

		const { stdout, code } = await nancy.run(['agents'], call);

		expect(code).toBe(0);
		const lines = stdout.split('\n');
		expect(lines).toContain(`claude-code  Claude Code 2.1.118, ${folder.file('agent', 'claude')}`);
		expect(stdout).toMatch(/^ {2}lacks: .*\bwake\b/m);
		expect(lines).toContain('codex  Codex: there is no "codex" on the PATH');
		expect(lines).toContain(`acp-goose  goose, ${folder.file('agent', 'goose')}`);
		expect(stdout).toMatch(/^acp-gone {2}gone: there is no program "gone" on the PATH/m);
		expect(stdout).toMatch(/^acp-wrong {2}wrong: "agentServers\.wrong\.command" in /m);
		expect(existsSync(join(call.cwd, '.nancy'))).toBe(false);
		const { agents } = JSON.parse((await nancy.run(['agents', '--json'], call)).stdout);
		expect(agents).toContainEqual(expect.objectContaining({ id: 'codex', obstacle: 'missing' }));
	});
});
