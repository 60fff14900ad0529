import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { marked, markedLine } from '../../../src/executors/ask.ts';
import { Ssh } from '../../../src/executors/ssh.ts';
import { inLoginShell, remoteWords } from '../../../src/executors/remoteWords.ts';
import { ExecutorId } from '../../../src/protocol/executorId.ts';
import { RemoteJob, Seen } from '../../../src/protocol/remoteJob.ts';
import { tempFolder } from '../../support/tempFolder.ts';

const HOSTILE = [
	'',
	"it's",
	'$(touch x)',
	'`id`',
	'"',
	'\\',
	'a\nb',
	'*',
	'~',
	'!x',
	'-o',
	'#',
	';id',
	"'\\''",
	'é',
	'$HOME',
];
const print = [process.execPath, '-e', 'console.log(JSON.stringify(process.argv.slice(1)))', '--'];

describe('words for the shell of another machine', () => {
	it('come through whole, whatever is in them', () => {
		const printed = execFileSync('sh', ['-c', remoteWords([...print, ...HOSTILE])], { encoding: 'utf8' });
		expect(JSON.parse(printed)).toEqual(HOSTILE);
	});

	it('come through a login shell whole', () => {
		const env = { ...process.env, SHELL: '/bin/sh' };
		const printed = execFileSync('sh', ['-c', inLoginShell([...print, ...HOSTILE])], { encoding: 'utf8', env });
		expect(JSON.parse(printed)).toEqual(HOSTILE);
	});

	it("name the machine themselves, whatever git's words say", () => {
		const command = new Ssh('lab').gitCommand('receive-pack', {
			git: "/it's/git",
			repository: "/it's/here.git",
		});
		const asGit = `${command.replace(/^'ssh'/, remoteWords(print))} "$@"`;
		const printed = execFileSync('sh', ['-c', asGit, 'git', 'evil.example', 'git-receive-pack evil'], {
			encoding: 'utf8',
		});
		const words = JSON.parse(printed);
		expect(words.slice(-3)).toEqual([
			'--',
			'lab',
			remoteWords(["/it's/git", '-c', 'core.hooksPath=/dev/null', 'receive-pack', "/it's/here.git"]),
		]);
	});
});

it.each([
	[127, 'io', 'a shell that has not found the program'],
	[126, 'io', 'a program that cannot be run'],
	[255, 'timeout', 'a connection that failed, or a killed command'],
])('ssh that ends with %i is %s: %s', async (code, expected) => {
	await using folder = tempFolder();
	writeFileSync(folder.file('ssh'), `#!/bin/sh\nexit ${code}\n`, { mode: 0o755 });
	vi.stubEnv('PATH', `${folder.path}:${process.env['PATH']}`);
	await expect(new Ssh('lab').ask(['true'], '', 60_000)).rejects.toMatchObject({ code: expected });
	vi.unstubAllEnvs();
});

it('no answer is waited for longer than its limit, also if ssh has ended and left a program behind', async () => {
	await using folder = tempFolder();
	writeFileSync(folder.file('ssh'), '#!/bin/sh\nwhile [ -e "$0" ]; do sleep 0.1; done &\n', { mode: 0o755 });
	vi.stubEnv('PATH', `${folder.path}:${process.env['PATH']}`);
	const asked = new Ssh('lab').ask(['true'], '', 500);
	vi.unstubAllEnvs();
	await expect(asked).rejects.toThrow('no answer in 0.5 s');
});

describe('a machine', () => {
	it.each(['ssh:lab', 'ssh:me@gpu1.example'])('may be %s', id => {
		expect(ExecutorId.safeParse(id).success).toBe(true);
	});
	it.each(['lab', 'ssh:', 'ssh:-oProxyCommand=id', 'ssh:a b', 'ssh:a\nb', 'ssh:$(id)', 'ssh:a/b', 'local'])(
		'may not be %j',
		id => {
			expect(ExecutorId.safeParse(id).success).toBe(false);
		},
	);
});

describe('what another machine says', () => {
	it('counts only in a whole marked line, among any noise', () => {
		expect(markedLine(`welcome\n${marked({ a: 1 })}\nbye`)).toEqual({ a: 1 });
		for (const output of ['', 'welcome\n', 'NANCY {"a":', 'NANCY {"a":1}', 'NANCY nonsense\n', ' NANCY {}\n'])
			expect(markedLine(output)).toBeUndefined();
	});

	it('names no path, process or commit of its own choice', () => {
		const seen = { is: 'ended', log: '', nextOffset: 0, receipts: [], takenBack: [] };
		const end = { ok: true, output: 'x' };
		expect(Seen.safeParse({ ...seen, end: { ...end, tip: '--upload-pack=id' } }).success).toBe(false);
		expect(Seen.safeParse({ ...seen, nextOffset: -1 }).success).toBe(false);
		const status = {
			runner: { pid: 1, startedTicks: 1 },
			worktree: { folder: '/etc' },
			report: 'x',
			tool_calls: 3,
		};
		expect(Seen.parse({ ...seen, status }).status).toEqual({ tool_calls: 3, denied: [] });
	});

	it('is asked of no folder outside its worktree', () => {
		const job = {
			id: 'a',
			repository: 'f'.repeat(16),
			base: 'a'.repeat(40),
			prompt: '',
			agent: 'a',
			permissions: 'x',
			wallSeconds: 1,
			idleSeconds: 1,
		};
		expect(RemoteJob.safeParse({ ...job, prefix: 'docs/' }).success).toBe(true);
		for (const prefix of ['/etc', '../x', 'a/../../b'])
			expect(RemoteJob.safeParse({ ...job, prefix }).success).toBe(false);
		expect(RemoteJob.safeParse({ ...job, id: '../x', prefix: '' }).success).toBe(false);
		expect(RemoteJob.safeParse({ ...job, repository: '../../x', prefix: '' }).success).toBe(false);
	});
});
