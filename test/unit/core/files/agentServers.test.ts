import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readAgentServers } from '../../../../src/core/files/agentServers.ts';
import { UserSettingsFile } from '../../../../src/core/files/userSettings.ts';
import { serverId, serverName, speakerOf } from '../../../../src/protocol/agentServer.ts';
import { tempFolder } from '../../../support/tempFolder.ts';

const read = (value: unknown) => readAgentServers([{ place: 'settings.json', value }]);

it('reads the shape that editors use, and leaves out what else they keep there', () => {
	const { servers, problems } = read({
		goose: { command: ' goose ', args: ['acp'], env: { MODEL: 'a' }, type: 'custom' },
		short: { command: '/opt/short' },
	});
	expect(Object.fromEntries(servers)).toEqual({
		goose: { command: 'goose', args: ['acp'], env: { MODEL: 'a' } },
		short: { command: '/opt/short', args: [], env: {} },
	});
	expect(problems.size).toBe(0);
});

it.each([
	[
		'a name that can be no part of an id',
		{ 'My Agent': { command: 'x' } },
		'My Agent',
		/the name "My Agent"; use up to 28/,
	],
	[
		'a missing command',
		{ a: {} },
		'a',
		/"agentServers\.a\.command" in settings\.json is not what it should be; write/,
	],
	['an empty command', { a: { command: ' ' } }, 'a', /agentServers\.a\.command/],
	['arguments in one text', { a: { command: 'x', args: 'acp' } }, 'a', /"agentServers\.a\.args"/],
	['a variable that is no text', { a: { command: 'x', env: { A: 1 } } }, 'a', /"agentServers\.a\.env\.A"/],
	['a PATH', { a: { command: 'x', env: { PATH: '/evil' } } }, 'a', /"agentServers\.a\.env\.PATH".*leave it out/],
	['a HOME', { a: { command: 'x', env: { HOME: '/evil' } } }, 'a', /"agentServers\.a\.env\.HOME".*leave it out/],
	[
		'a variable of Nancy',
		{ a: { command: 'x', env: { NANCY_HOOKS: 'on' } } },
		'a',
		/env\.NANCY_HOOKS".*leave it out/,
	],
	['no object', { a: 'goose acp' }, 'a', /"agentServers\.a" in settings\.json/],
])('says of %s where it stands and what to write, and keeps the others', (_what, value, name, words) => {
	const { servers, problems } = read({ ...value, good: { command: 'good' } });
	expect([...servers.keys()]).toEqual(['good']);
	expect([...problems.keys()]).toEqual([name]);
	expect(String(problems.get(name))).toMatch(words);
});

it('never says a value of the setting', () => {
	const { problems } = read({ a: { command: 'x', env: { A: ['secret'] } }, b: { command: ['secret'] } });
	expect([...problems.values()].join()).not.toContain('secret');
});

it('takes the later place of a name, and says of a setting that is no object where it stands', () => {
	const { servers, problems } = readAgentServers([
		{ place: 'the file', value: { a: { command: 'one' }, b: { command: 'two' } } },
		{ place: 'VS Code', value: { a: { command: 'three' } } },
		{ place: 'elsewhere', value: [] },
	]);
	expect([...servers].map(([name, { command }]) => [name, command])).toEqual([
		['b', 'two'],
		['a', 'three'],
	]);
	expect(String(problems.get(''))).toContain('"agentServers" in elsewhere is no object');
});

it('stands in the user’s own settings file, beside what an editor keeps there, and nowhere in a workspace', async () => {
	await using folder = tempFolder();
	const settings = new UserSettingsFile(folder.file('config'), folder.file('home'));
	mkdirSync(folder.file('config'));
	writeFileSync(settings.file, JSON.stringify({ agentServers: { mine: { command: 'a' } } }), { mode: 0o600 });
	await settings.saveEditor(() => ({ delegates: {}, folders: {}, agentServers: { other: { command: 'b' } } }));
	expect([...(await settings.agentServers(folder.file('project'))).servers.keys()]).toEqual(['mine', 'other']);
	await settings.saveEditor(() => ({ delegates: {}, folders: {} }));
	expect([...(await settings.agentServers(undefined)).servers.keys()]).toEqual(['mine']);
	await expect(settings.agentServers(folder.file('config'))).rejects.toMatchObject({ code: 'not-trusted' });
});

it('keeps the agents that another editor or profile has named, and takes back its own', async () => {
	await using folder = tempFolder();
	const [one, other, anew] = [0, 1, 2].map(() => new UserSettingsFile(folder.file('config'), folder.file('home')));
	const save = (editor: UserSettingsFile | undefined, agentServers?: unknown) =>
		editor?.saveEditor(() => ({ delegates: {}, folders: {}, agentServers }));
	const named = async () =>
		[...((await one?.agentServers(undefined))?.servers ?? [])].map(([name, { command }]) => `${name} ${command}`);
	await save(one, { mine: { command: 'a' }, both: { command: 'a' } });
	await save(other, undefined);
	await save(other, {});
	expect(await named()).toEqual(['mine a', 'both a']);
	await save(other, { theirs: { command: 'b' }, both: { command: 'b' } });
	expect(await named()).toEqual(['mine a', 'both b', 'theirs b']);
	await save(one, 'no object');
	expect(await named()).toEqual(['both b', 'theirs b']);
	await save(anew);
	await save(other);
	expect(await named()).toEqual([]);
});

it('makes an agent’s id of a name, and tells it from those of the CLIs', () => {
	expect(serverId('goose')).toBe('acp-goose');
	expect(['acp-goose', 'acp', 'acp-', 'codex', 'acp-Goose'].map(serverName)).toEqual([
		'goose',
		undefined,
		undefined,
		undefined,
		undefined,
	]);
	expect(['acp-goose', 'codex'].map(speakerOf)).toEqual(['acp', 'codex']);
});
