import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { headlessOf } from '../../../src/core/driver/headlessOf.ts';
import { geminiCli } from '../../../src/drivers/gemini-cli/driver.ts';
import { SessionId } from '../../../src/protocol/names.ts';
import { tempFolder } from '../../support/tempFolder.ts';

const session = SessionId.parse('b427e65c-ab15-419b-9955-9545e6cf03a2');

/** A user's home with these files in it, and no settings of the system. */
function user(files: Record<string, string> = {}) {
	const home = tempFolder('nancy-gemini-');
	for (const [name, content] of Object.entries(files)) {
		mkdirSync(dirname(home.file(name)), { recursive: true });
		writeFileSync(home.file(name), content);
	}
	const env = { HOME: home.path, GEMINI_CLI_SYSTEM_SETTINGS_PATH: home.file('etc/settings.json') };
	const launch = (
		permissions: string,
		{ extra = [], more = {} }: { extra?: readonly string[]; more?: object } = {},
	) => {
		const place = { version: geminiCli.oldestVersion, workspaceFolder: '/w', cwd: '/w', hooks: undefined };
		const run = { session, resume: undefined, fork: undefined, model: undefined, prompt: 'x', permissions, extra };
		const {
			args,
			files: written = [],
			env: set,
		} = headlessOf(geminiCli).launch({
			...place,
			...run,
			env: { ...env, ...more },
		});
		const named = (option: string) =>
			args.filter(word => word.startsWith(`${option}=`)).map(word => word.slice(option.length + 1));
		const [rules] = written;
		return { args, env: set, rules, policies: named('--policy'), admin: named('--admin-policy') };
	};
	return { home, launch, [Symbol.asyncDispose]: () => home.remove() };
}

const settings = (content: object) => ({ '.gemini/settings.json': JSON.stringify(content) });

describe('Gemini CLI’s careful modes', () => {
	it('take no rules and no MCP servers of the folder, but their user’s own policies', async () => {
		await using me = user();
		const { args, policies, rules } = me.launch('default');
		expect(args).toEqual(expect.arrayContaining(['--allowed-tools=none', '--allowed-mcp-server-names=none']));
		expect(policies).toEqual([rules?.path, me.home.file('.gemini/policies')]);
		const elsewhere = me.launch('auto_edit', { more: { GEMINI_CLI_HOME: me.home.file('g') } });
		expect(elsewhere.policies.at(-1)).toBe(me.home.file('g/.gemini/policies'));
	});

	it('leave “Everything” alone', async () => {
		await using me = user(settings({ adminPolicyPaths: ['/a'], policyPaths: ['/p'] }));
		const { args, env, rules } = me.launch('yolo');
		expect(args.join(' ')).not.toMatch(/allowed|policy/);
		expect(env).toEqual({});
		expect(rules).toBeUndefined();
	});

	it.each([
		{ mode: 'default', denied: ['run_shell_command', 'write_file', 'replace'], left: [] },
		{ mode: 'auto_edit', denied: ['run_shell_command'], left: ['write_file', 'replace'] },
	])('deny what “$mode” does not say above all settings, as an administrator and as the user', async expected => {
		await using me = user(settings({ adminPolicyPaths: ['/a'], policyPaths: ['/p'] }));
		const { rules, policies, admin } = me.launch(expected.mode, { extra: ['--policy=/mine', '--admin-policy=/b'] });
		// The first of two equal ones counts.
		expect([policies[0], admin[0]]).toEqual([rules?.path, rules?.path]);
		expect(rules?.content).toContain('decision = "deny"');
		for (const tool of expected.denied) expect(rules?.content).toContain(`"${tool}"`);
		for (const tool of expected.left) expect(rules?.content).not.toContain(`"${tool}"`);
	});

	it('name what stands in the settings of user and system, for their lists stand in its place', async () => {
		await using me = user({
			'.gemini/settings.json':
				'{ // mine\n "adminPolicyPaths": ["~/strict", "$HOME/a", "${NOT_SET:-/b}", "$NOT_SET"], "policyPaths": ["/p"], "ui": {} }',
			'etc/settings.json': '{"adminPolicyPaths": ["/system"]}',
			'etc/system-defaults.json': '{"adminPolicyPaths": ["/defaults"], "policyPaths": ["/p", "/q"]}',
		});
		const { policies, admin } = me.launch('default', { extra: ['--policy=/mine', '--admin-policy=/b'] });
		expect(admin.slice(1)).toEqual(
			['/defaults', '~/strict', `${me.home.path}/a`, '/b', '$NOT_SET', '/system'].concat('/b'),
		);
		expect(policies.slice(1)).toEqual(['/p', '/q', '/mine']);
	});

	it.each(['{', '[]', '{"adminPolicyPaths": "/a"}', '{"policyPaths": [7]}'])(
		'refuse to start where the user’s settings cannot be read: %s',
		async content => {
			await using me = user({ '.gemini/settings.json': content });
			expect(() => me.launch('default')).toThrow(expect.objectContaining({ code: 'settings-broken' }));
			expect(me.launch('yolo').rules).toBeUndefined();
		},
	);

	it.each([
		['--allowed-tools=read_file,run_shell_command(npm test)'],
		['--allowedTools', 'run_shell_command'],
		['--allowed-tools=ShellTool(npm test)'],
		['--allowed-tools=ShellTool'],
	])('do not deny the tool that a person allows by name: %s %s', async (...extra) => {
		await using me = user();
		const { rules } = me.launch('default', { extra });
		expect(rules?.content).not.toContain('run_shell_command');
		expect(rules?.content).toContain('"write_file"');
	});

	it('write no rule where a person allows all of it', async () => {
		await using me = user();
		const { rules } = me.launch('auto_edit', { extra: ['--allowed-tools=run_shell_command'] });
		expect(rules?.content).toBe('');
	});

	it('bring their rules into a container, beside what the user mounts there', async () => {
		await using me = user();
		const { env, rules } = me.launch('default');
		const mount = `${rules?.path}:${rules?.path}:ro`;
		expect(env).toEqual({ SANDBOX_MOUNTS: mount });
		const more = { SANDBOX_MOUNTS: '/cache:/cache:rw' };
		expect(me.launch('default', { more }).env).toEqual({ SANDBOX_MOUNTS: `/cache:/cache:rw,${mount}` });
	});

	it.each(['comma', 'colon'])(
		'are not started where the CLI would read the path of its rules as two: a %s',
		async sign => {
			await using me = user();
			const more = { XDG_DATA_HOME: me.home.file(sign === 'comma' ? 'a,b' : 'a:b') };
			// The user's data folder is where this platform has it, with the sign in it.
			expect(() => me.launch('default', { more: { ...more, HOME: more.XDG_DATA_HOME } })).toThrow(sign);
		},
	);

	it('are not started where the CLI would read a path of the user’s settings as two', async () => {
		await using me = user(settings({ adminPolicyPaths: ['/a,b'] }));
		expect(() => me.launch('default')).toThrow('comma');
	});
});
