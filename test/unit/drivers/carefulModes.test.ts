import { describe, expect, it } from 'vitest';
import type { Driver } from '../../../src/core/driver/driver.ts';
import { headlessOf } from '../../../src/core/driver/headlessOf.ts';
import { claudeCode } from '../../../src/drivers/claude-code/driver.ts';
import { codex } from '../../../src/drivers/codex/driver.ts';
import { copilotCli } from '../../../src/drivers/copilot-cli/driver.ts';
import { geminiCli } from '../../../src/drivers/gemini-cli/driver.ts';
import { opencode } from '../../../src/drivers/opencode/driver.ts';
import { qwenCode } from '../../../src/drivers/qwen-code/driver.ts';
import { SessionId } from '../../../src/protocol/names.ts';

interface Asked {
	extra?: readonly string[];
	env?: Record<string, string>;
	resume?: SessionId;
}

const session = SessionId.parse('b427e65c-ab15-419b-9955-9545e6cf03a2');

function launch(driver: Driver, permissions: string, { extra = [], env = {}, resume }: Asked = {}) {
	const hooks = { launcher: '/n/nancy-hook', folder: '/n/launch' };
	const place = { version: driver.oldestVersion, workspaceFolder: '/w', cwd: '/w', hooks, env };
	const run = { session, resume, model: undefined, prompt: 'x', permissions, extra };
	return headlessOf(driver).launch({ ...place, ...run });
}

describe.each([
	{
		driver: claudeCode,
		careful: ['default', 'plan', 'ask-me', 'acceptEdits', 'auto'],
		widest: 'bypassPermissions',
		loosening: [
			['--dangerously-skip-permissions'],
			['--allow-dangerously-skip-permissions'],
			['--permission-mode', 'bypassPermissions'],
			['--permission-prompt-tool=stdio'],
			['--plugin-dir=/p'],
			['--agents', '{"x":{"hooks":{}}}'],
		],
		harmless: [
			['--disallowedTools', 'Bash'],
			['--append-system-prompt', 'Be brief'],
			['--agent=reviewer'],
			['--allowedTools', 'Bash(npm test)'],
			['--add-dir', '../lib'],
			['--settings', 'proxy.json'],
		],
	},
	{
		driver: codex,
		careful: ['read-only', 'workspace-write'],
		widest: 'danger-full-access',
		loosening: [
			['--sandbox', 'danger-full-access'],
			['--sandbox=danger-full-access'],
			['-sdanger-full-access'],
			['-c', 'sandbox_mode="danger-full-access"'],
			['-csandbox_mode="danger-full-access"'],
			['--config', ' default_permissions=":danger-no-sandbox"'],
			['-c', 'approval_policy="on-request"'],
			['-c', 'approvals_reviewer="auto_review"'],
			['-c', 'projects."/w".trust_level="trusted"'],
			['--dangerously-bypass-approvals-and-sandbox'],
			['--dangerously-bypass-hook-trust'],
			['--approve-for-me'],
			['-C', '/'],
			['--trust'],
		],
		harmless: [
			['-c', 'model_reasoning_effort="high"'],
			['--profile', 'mine'],
			['--add-dir=../lib'],
			['-c', 'mcp_servers.x.enabled=false'],
			['-c', 'sandbox_workspace_write.network_access=true'],
			['-i', 'a.png'],
		],
	},
	{
		driver: copilotCli,
		careful: ['ask', 'edit', 'tools'],
		widest: 'all',
		loosening: [
			['--allow-all'],
			['--allow-all-tools'],
			['--allow-all-paths'],
			['--yolo'],
			['--trust-folder'],
			['-C', '/'],
			['-sC/'],
			['--plugin-dir=/p'],
		],
		harmless: [
			['--deny-tool=shell'],
			['-pCompile'],
			['--agent=reviewer'],
			['--allow-tool=shell(npm test)'],
			['--allow-url', 'a.example'],
			['--add-dir', '../lib'],
			['--no-custom-instructions'],
		],
	},
	{
		driver: geminiCli,
		careful: ['default', 'auto_edit'],
		widest: 'yolo',
		loosening: [
			['--yolo'],
			['-y'],
			['-dy'],
			['--approval-mode', 'yolo'],
			['--approvalMode=yolo'],
			['--skip-trust'],
		],
		harmless: [
			['--sandbox'],
			['-d'],
			['--extensions', 'x'],
			['-esecurity'],
			['--allowed-tools=run_shell_command(npm test)'],
			['--policy=p.toml'],
			['--include-directories=../lib'],
			['--allowed-mcp-server-names', 'x'],
		],
	},
	{
		driver: opencode,
		careful: ['ask', 'ask-me', 'edit', 'configured'],
		widest: 'all',
		loosening: [
			['--auto'],
			['--auto=true'],
			['--yolo'],
			['--dangerously-skip-permissions'],
			['--dangerouslySkipPermissions=true'],
		],
		harmless: [['--variant', 'high'], ['--title=automatic']],
	},
	{
		driver: qwenCode,
		careful: ['default', 'auto-edit', 'ask-me'],
		widest: 'yolo',
		loosening: [
			['--yolo'],
			['-y'],
			['-dy'],
			['--approval-mode', 'yolo'],
			['--approvalMode=yolo'],
			['--acp'],
			['--worktree=x'],
		],
		harmless: [
			['--sandbox'],
			['-d'],
			['--allowed-tools=web_fetch'],
			['--include-directories=../lib'],
			['--extensions', 'x'],
		],
	},
])('$driver.id', ({ driver, careful, widest, loosening, harmless }) => {
	it.each(loosening)('refuses %s %s in every mode but the widest', (...extra) => {
		for (const mode of careful) expect(() => launch(driver, mode, { extra }), mode).toThrow(`it needs "${widest}"`);
		expect(launch(driver, widest, { extra }).args).toEqual(expect.arrayContaining(extra));
	});

	it.each(harmless)('passes %s %s on in every mode', (...extra) => {
		for (const mode of [...careful, widest])
			expect(launch(driver, mode, { extra }).args, mode).toEqual(expect.arrayContaining(extra));
	});

	it('says of each mode whose rules hold beside it, where there are any', () => {
		const { permissionModes, beside } = headlessOf(driver);
		expect(permissionModes.map(mode => mode.id)).toEqual(expect.arrayContaining([...careful, widest]));
		expect(beside).toMatch(/hooks|plugins/);
		// What is said of the modes makes no run a half one.
		expect(driver.limits.headless ?? '').not.toContain(beside);
	});
});

it.each([
	[claudeCode, 'default'],
	[opencode, 'ask'],
] as const)('%o asks in its own careful mode, and only with the hooks that carry its questions', (driver, careful) => {
	const flags = ({ args }: { args: readonly string[] }) => args.filter(arg => !/agent=|plugin-dir|asking/.test(arg));
	expect(flags(launch(driver, 'ask-me'))).toEqual(flags(launch(driver, careful)));
	const place = { version: driver.oldestVersion, workspaceFolder: '/w', cwd: '/w', hooks: undefined, env: {} };
	const run = { session, resume: undefined, model: undefined, prompt: 'x', permissions: 'ask-me', extra: [] };
	expect(() => headlessOf(driver).launch({ ...place, ...run })).toThrow('need a delegate with the hooks of Nancy');
});

it.each([geminiCli, qwenCode])(
	'$id is talked with where it asks, and only with the hooks that tell who asks',
	driver => {
		const place = { version: driver.oldestVersion, workspaceFolder: '/w', cwd: '/w', hooks: undefined, env: {} };
		const run = { session, resume: undefined, model: undefined, prompt: 'x', permissions: 'ask-me', extra: [] };
		expect(launch(driver, 'ask-me')).toMatchObject({ talks: true, sessionIsKnown: false });
		expect(launch(driver, 'ask-me').args).toEqual(expect.arrayContaining(['--acp', '--approval-mode=default']));
		expect(() => headlessOf(driver).launch({ ...place, ...run })).toThrow(
			'need a delegate with the hooks of Nancy',
		);
	},
);

it('Gemini CLI asks in no sandbox of its own, where a Yes could allow more than it says', () => {
	for (const asked of [{ extra: ['--sandbox'] }, { env: { GEMINI_SANDBOX: 'true' } }])
		expect(() => launch(geminiCli, 'ask-me', asked)).toThrow('without a sandbox of its own');
});

it('GitHub Copilot CLI is not told by the environment to allow everything', () => {
	const env = { COPILOT_ALLOW_ALL: 'true' };
	for (const mode of ['ask', 'edit', 'tools'])
		expect(launch(copilotCli, mode, { env }).env).toMatchObject({ COPILOT_ALLOW_ALL: '' });
	expect(launch(copilotCli, 'all', { env }).env).toEqual({});
});

it('Codex keeps commands in its sandbox whatever rules and settings allow, also when resumed', () => {
	for (const mode of ['read-only', 'workspace-write']) {
		const { args } = launch(codex, mode, { resume: session });
		const held = args.slice(0, args.indexOf('resume')).join(' ');
		expect(held).toContain('--ignore-rules');
		expect(held).toContain('-c sandbox_workspace_write.writable_roots=[]');
		expect(held).toContain('-c sandbox_workspace_write.network_access=false');
	}
	expect(launch(codex, 'danger-full-access').args.join(' ')).not.toMatch(/ignore-rules|workspace_write/);
});

it.each(['--agent', '--agent=build', '--command', '--command=go', '--attach=http://127.0.0.1:1', '--dir=/'])(
	'opencode refuses %s where another agent than Nancy’s would run',
	word => {
		for (const mode of ['ask', 'ask-me', 'edit'])
			expect(() => launch(opencode, mode, { extra: [word] })).toThrow('"configured"');
		expect(launch(opencode, 'configured', { extra: [word] }).args).toContain(word);
	},
);
