import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { identify } from '../../src/base/liveness.ts';
import { readOverview } from '../../src/core/live/readOverview.ts';
import { guardSource } from '../../src/drivers/guardSource.ts';
import { opencode } from '../../src/drivers/opencode/driver.ts';
import { conformanceLab, WORKER } from '../conformance/lab.ts';
import { READY_MS } from '../support/agentLab.ts';
import { opencodeUnderTest } from '../support/agents/opencode.ts';
import { eventually } from '../support/eventually.ts';
import { waitForProgram } from '../support/gate.ts';
import { long } from '../support/long.ts';
import { pinnedAgent } from '../support/pinnedAgent.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';

/** A project that allows everything, by each kind of rule that stands above another. */
const PERMISSIVE = {
	permission: { edit: 'allow', bash: 'allow', '*': 'allow' },
	agent: { build: { permission: { '*': 'allow', task: 'allow', bash: 'allow' } } },
	lsp: true,
	formatter: true,
};

// What every agent shall do is in the conformance suite; this is what this one does in its own way.
describe('the real opencode', () => {
	it('runs no command in a mode that allows none, whatever opencode.json allows', async () => {
		await using lab = await conformanceLab({
			agent: opencodeUnderTest,
			driver: opencode,
			installed: pinnedAgent('opencode'),
		});
		writeFileSync(lab.workspace.file('opencode.json'), JSON.stringify(PERMISSIVE));
		// Where language servers are on, the CLI takes this one from the project, and a formatter too.
		for (const folder of ['node_modules', 'node_modules/.bin']) mkdirSync(lab.workspace.file(folder));
		for (const file of ['package.json', 'biome.json']) writeFileSync(lab.workspace.file(file), '{}');
		const biome = `#!/bin/sh\ntouch '${lab.workspace.file('never')}'\n`;
		writeFileSync(lab.workspace.file('node_modules/.bin/biome'), biome, { mode: 0o755 });
		writeFileSync(lab.workspace.file('a.ts'), 'const a = 1;');
		const prompt = '[[read:a.ts]] [[write:b.ts|text]] [[write:made|text]] [[sh:touch never]] [[text:Not said]]';
		const { ended } = await lab.runHeadless(prompt, {
			permissions: 'edit',
		});
		const { ending, events } = await ended;
		expect([lab.has('made'), lab.has('never')]).toEqual([true, false]);
		expect(events).toContainEqual(expect.objectContaining({ is: 'denied', tool: 'bash' }));
		expect(ending).toMatchObject({ is: 'result', result: { failure: { kind: 'final' } } });
		const offered = JSON.stringify(lab.requests().map(({ body }) => body));
		expect(offered).toContain('"name":"bash"');
		// A subagent would have rules of its own.
		expect(offered).not.toContain('"name":"task"');
	});

	it(
		'works where nancy run says, whatever folder it is called from, and is no session of the sidebar',
		long,
		async () => {
			await using nancy = await NancyCommand.build({ isPackage: true });
			await using lab = await conformanceLab({
				agent: opencodeUnderTest,
				driver: opencode,
				installed: pinnedAgent('opencode'),
			});
			await lab.deploy('workspace');
			mkdirSync(lab.workspace.file('sub'));
			const { executable } = pinnedAgent('opencode');
			const args = ['run', '--headless', '--agent', 'opencode', '--permissions', 'edit', '--working-dir', 'sub'];
			const { code, stderr } = await nancy.start([...args, '--prompt', '[[write:made|text]] [[text:Done.]]'], {
				cwd: lab.workspace.path,
				env: {
					...lab.env,
					PWD: lab.workspace.path,
					NANCY_PROGRAM_OPENCODE: executable,
					// Its settings name the model double.
					XDG_CONFIG_HOME: join(lab.env['HOME'] ?? '', '.config'),
				},
			});
			expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
			expect([lab.has('made'), lab.has('sub/made')]).toEqual([false, true]);
			const { tasks } = await readOverview(lab.nancy, [opencode]);
			expect(tasks.filter(({ record }) => record.origin === 'found')).toEqual([]);
		},
	);

	it('is woken, though its window sealed its process long after its first event', long, async () => {
		await using lab = await conformanceLab({
			agent: opencodeUnderTest,
			driver: opencode,
			installed: pinnedAgent('opencode'),
		});
		const told = (event: string) => readdirSync(lab.nancy.paths.spool).some(name => name.includes(`~${event}~`));
		// However slow the CLI is: the worker counts as starting until the session has begun without it.
		const isBegun = async () => {
			const starting = { by: identify(process.pid), at: new Date().toISOString() };
			await lab.nancy.updateWorker(WORKER, record => record && { ...record, starting });
			return told('prompt');
		};
		const sealedAfter = () => eventually('its session has begun', isBegun, { timeoutMs: READY_MS });
		const worker = await lab.start({ prompt: '[[text:First turn]]', sealedAfter });
		await worker.idle();
		await lab.send(worker.address, 'Are you awake? [[text:Awake]]');
		await lab.seen('Are you awake?');
	});

	it('takes nothing more from a guard that its runtime has given up', async () => {
		await using folder = tempFolder();
		const launcher = folder.file('nancy-hook');
		const took = folder.file('took');
		const givenUp = folder.file('given-up');
		// The pipe is closed a moment after its stream. Until then it takes what nobody reads.
		const print = `while printf '{}\\n' 2>/dev/null; do sleep 0.05; done; echo no >'${took}.new'`;
		writeFileSync(
			launcher,
			`#!/bin/bash\ntrap '' PIPE\n${waitForProgram} '${givenUp}'\n${print}\nmv '${took}.new' '${took}'\n`,
		);
		chmodSync(launcher, 0o755);
		const module = folder.file('guard.mjs');
		const calls = `let child; const { stdout } = await guard('ses_1', 'tool-end', 'boundary', {}, 200, started => (child = started)); console.log(JSON.stringify(stdout));`;
		const closes = `while (!child.stdout.closed) await new Promise(resolve => setTimeout(resolve, 50)); writeFileSync('${givenUp}', '');`;
		const stays = `while (!existsSync('${took}')) await new Promise(resolve => setTimeout(resolve, 50));`;
		const imports = `import { existsSync, writeFileSync } from 'node:fs';`;
		const source = guardSource(opencode.id, launcher, folder.path);
		const environment = 'const environment = () => process.env;';
		writeFileSync(module, [imports, source, environment, calls, closes, stays].join('\n'));
		const { executable } = pinnedAgent('opencode');
		const env = { PATH: process.env['PATH'], HOME: folder.path, BUN_BE_BUN: '1' };
		const { stdout } = await promisify(execFile)(executable, [module], { env });
		expect(stdout.trim()).toBe('""');
		await eventually('it is known whether it was taken', () => existsSync(took));
		expect(readFileSync(took, 'utf8')).toBe('no\n');
	});
});
