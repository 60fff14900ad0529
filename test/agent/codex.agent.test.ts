import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { identify, liveness } from '../../src/base/liveness.ts';
import { codex } from '../../src/drivers/codex/driver.ts';
import { hookFlags, trustHash } from '../../src/drivers/codex/flags.ts';
import { hookEntries } from '../../src/drivers/codex/hooks.ts';
import { conformanceLab } from '../conformance/lab.ts';
import { agentLab, type AgentLab } from '../support/agentLab.ts';
import { codexUnderTest } from '../support/agents/codex.ts';
import { codexHome } from '../support/codexHome.ts';
import { eventually } from '../support/eventually.ts';
import { pinnedAgent } from '../support/pinnedAgent.ts';

const Answer = z.looseObject({
	id: z.optional(z.number()),
	result: z.optional(
		z.looseObject({
			data: z.optional(
				z.array(
					z.looseObject({
						hooks: z.array(
							z.looseObject({
								key: z.string(),
								command: z.string(),
								currentHash: z.string(),
								trustStatus: z.string(),
							}),
						),
						warnings: z.array(z.string()),
					}),
				),
			),
		}),
	),
});

/** What the CLI itself knows of hooks when it is started with these flags: `hooks/list` of its app server. */
async function hooksList(lab: AgentLab, flags: readonly string[]) {
	const server = spawn(lab.agent.command, ['app-server', ...flags], {
		cwd: lab.workspace.path,
		env: lab.env,
		stdio: ['pipe', 'pipe', 'ignore'],
	});
	const ask = (id: number | undefined, method: string, params?: object) =>
		server.stdin.write(`${JSON.stringify({ id, method, params })}\n`);
	try {
		ask(1, 'initialize', { clientInfo: { name: 'test', version: '1' }, capabilities: { experimentalApi: true } });
		for await (const line of createInterface({ input: server.stdout })) {
			const answer = Answer.parse(JSON.parse(line));
			if (answer.id === 1) {
				ask(undefined, 'initialized');
				ask(2, 'hooks/list', { cwds: [lab.workspace.path] });
			}
			if (answer.id === 2) {
				const [found] = answer.result?.data ?? [];
				if (found) return found;
				break;
			}
		}
		throw new Error('the app server did not list its hooks');
	} finally {
		server.kill();
	}
}

const launcher = `/home/it's "me"/nancy/runtime/1.0.0-x/nancy-hook`;

describe('the trust of the real Codex', () => {
	it('knows every hook of a launch by the hash that Nancy computes, and no other hook the better for it', async () => {
		await using lab = await agentLab(codexHome);
		writeFileSync(
			`${lab.home}/.codex/hooks.json`,
			JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] } }),
		);
		const entries = hookEntries('launch', launcher, lab.workspace.path);
		const { hooks, warnings } = await hooksList(lab, hookFlags(entries));
		const ours = hooks.filter(hook => hook.command.includes('nancy-hook'));
		expect(ours).toHaveLength(entries.length);
		expect(ours.filter(hook => hook.trustStatus !== 'trusted')).toEqual([]);
		expect(hooks.filter(hook => !ours.includes(hook)).map(hook => hook.trustStatus)).toEqual(['untrusted']);
		expect(warnings).toEqual([]);
	});

	it('is asked for by the hooks of a workspace, and given by nobody but the user', async () => {
		await using lab = await agentLab(codexHome);
		const place = { version: codex.oldestVersion, launcher, workspaceFolder: lab.workspace.path };
		const [edit] = codex.deployment({ ...place, scope: 'workspace' }).edits;
		const written: Record<string, unknown[]> = {};
		for (const { path, value } of edit?.entries ?? []) (written[path[1] ?? ''] ??= []).push(value);
		const file = lab.workspace.file(edit?.file ?? '');
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, JSON.stringify({ hooks: written }));
		const { hooks, warnings } = await hooksList(lab, []);
		const hashes = hookEntries('workspace', launcher, lab.workspace.path).map(trustHash);
		expect(hooks.map(hook => hook.currentHash).sort()).toEqual(hashes.sort());
		expect(new Set(hooks.map(hook => hook.trustStatus))).toEqual(new Set(['untrusted']));
		expect(warnings).toEqual([]);
	});
});

describe('the hooks of a real Codex run', () => {
	it('never keep a one-shot run from ending, nor outlive it', async () => {
		await using lab = await agentLab(codexHome);
		const mark = lab.workspace.file('waiting');
		const waiter = {
			event: 'Stop',
			command: `echo $$ >'${mark}'; exec sleep 600`,
			timeout: 86_400,
			isAsync: true,
		};
		// Not to be over before the waiter has begun.
		const stop = {
			event: 'Stop',
			command: `until [ -s '${mark}' ]; do sleep 0.1; done`,
			timeout: 600,
			isAsync: false,
		};
		const { code } = await lab.headless('[[text:Done]]', [...lab.agent.unattended, ...hookFlags([waiter, stop])]);
		expect(code).toBe(0);
		const pid = Number(readFileSync(mark, 'utf8'));
		await eventually('the waiter has ended', () => liveness(identify(pid)) === 'dead');
	});
});

describe('the sandbox of a real Codex run', () => {
	it('holds whatever rules and settings a trusted project brings', async () => {
		const installed = pinnedAgent('codex');
		await using lab = await conformanceLab({ agent: codexUnderTest, driver: codex, installed });
		const outside = `${lab.home}/made`;
		mkdirSync(lab.workspace.file('.codex/rules'), { recursive: true });
		const allowing = 'prefix_rule(pattern=["touch"], decision="allow")';
		writeFileSync(lab.workspace.file('.codex/rules/a.rules'), `${allowing}\n`);
		const widening = `writable_roots = [${JSON.stringify(lab.home)}]`;
		writeFileSync(lab.workspace.file('.codex/config.toml'), `[sandbox_workspace_write]\n${widening}\n`);
		const prompt = `[[sh:touch inside '${outside}']]`;
		const { ended } = await lab.runHeadless(`${prompt} [[text:Tried]]`, { permissions: 'read-only' });
		expect(await ended).toMatchObject({ ending: { is: 'result', result: { text: 'Tried' } } });
		expect([lab.has('inside'), existsSync(outside)]).toEqual([false, false]);
	});
});
