import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CAPABILITIES, shortcomings } from '../../../src/core/driver/abilities.ts';
import type { Driver } from '../../../src/core/driver/driver.ts';
import { launchModesOf, modeFlags } from '../../../src/core/driver/modeFlags.ts';
import { acpAgents } from '../../../src/drivers/acp.ts';
import { isTalkedWith } from '../../../src/core/driver/talkedWith.ts';
import { askings } from '../../../src/drivers/asking.ts';
import { allDrivers, drivers } from '../../../src/drivers/index.ts';
import { manuals } from '../../../src/drivers/manuals.ts';
import { programs } from '../../../src/drivers/programs.ts';
import { screens } from '../../../src/drivers/screens.ts';
import { stdioAgents } from '../../../src/drivers/stdio.ts';
import { SERVERS } from '../../../src/protocol/agentServer.ts';
import { SessionId } from '../../../src/protocol/names.ts';

const session = SessionId.parse('11111111-1111-4111-8111-111111111111');
const named: readonly (readonly [string, Driver])[] = drivers.map(driver => [driver.displayName, driver]);

it('what drivers share names no agent', () => {
	const folder = join(import.meta.dirname, '../../../src/drivers');
	const shared = globSync('*.ts', { cwd: folder }).filter(
		file =>
			![
				'index.ts',
				'programs.ts',
				'asking.ts',
				'acp.ts',
				'stdio.ts',
				'manuals.ts',
				'screens.ts',
				'screenStates.ts',
			].includes(file),
	);
	// A letter is in every file.
	const commands = drivers.map(({ command }) => command).filter(command => command.length > 1);
	const names = new RegExp([...commands, 'amazon'].join('|'), 'i');
	expect(shared.length).toBeGreaterThan(5);
	expect(shared.filter(file => names.test(readFileSync(join(folder, file), 'utf8')))).toEqual([]);
});

it('every driver is known by its processes, in the same order', () => {
	const known = drivers.map(({ id, command, alsoCalled, marks, npmPackage }) => ({
		id,
		command,
		...(alsoCalled && { alsoCalled }),
		marks,
		npmPackage,
	}));
	expect(programs).toEqual(known);
});

it('every manual that a driver reads is known', () => {
	const read = drivers.map(({ hooks }) => hooks.manual).filter(manual => manual !== 'none');
	expect([...new Set(read)]).toEqual(manuals);
});

it('every agent that can be in a terminal of Nancy’s own is one that she can talk with, by its id', () => {
	const own = drivers.filter(driver => driver.ownTerminal !== 'none' || isTalkedWith(driver)).map(({ id }) => id);
	const known = [...Object.keys(acpAgents), ...Object.keys(stdioAgents)].filter(id => id !== SERVERS);
	expect(own.toSorted()).toEqual(known.toSorted());
});

it('every screen that a driver can read is known, by its id', () => {
	const read = allDrivers.flatMap(({ id, screen }) => (screen === 'none' ? [] : [[id, screen] as const]));
	expect(screens).toEqual(Object.fromEntries(read));
});

it('every driver that can carry an answer is known, by its id', () => {
	const folder = join(import.meta.dirname, '../../../src/drivers');
	const files = globSync('*/asking.ts', { cwd: folder }).map(file => dirname(file));
	expect(Object.keys(askings).toSorted()).toEqual(files.toSorted());
	expect(files.filter(id => !allDrivers.some(driver => driver.id === id))).toEqual([]);
});

it('drivers are loaded unbuilt by `npm start`, with all that they import', () => {
	const index = join(import.meta.dirname, '../../../src/drivers/index.ts');
	const code = `import(${JSON.stringify(pathToFileURL(index).href)}).then(({ drivers }) => console.log(drivers.length))`;
	const { stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', '-e', code], { encoding: 'utf8' });
	expect({ stdout: stdout.trim(), stderr }).toEqual({ stdout: String(drivers.length), stderr: '' });
});

describe.each(named)('the driver of %s', (_, driver) => {
	it('says in a sentence why its CLI cannot do something', () => {
		const silent = CAPABILITIES.filter(each => driver.floors[each] === 'none' && !driver.limits[each]);
		expect(silent).toEqual([]);
		for (const limit of Object.values(driver.limits)) expect(String(limit)).toMatch(/\.$/);
	});

	it('tells what a version lacks apart from what it does in part', () => {
		const { lacks, limits } = shortcomings(driver, driver.oldestVersion);
		expect(lacks.filter(each => limits.includes(each))).toEqual([]);
		expect(shortcomings(driver, [0, 0, 0]).lacks).toEqual([...CAPABILITIES]);
	});

	it('claims to hear its doorbell when it is resumed only where it can watch one', () => {
		const event = { driver: driver.id, session, kind: 'session-start', event: 'x' } as const;
		const { watches } = driver.hooks.beginAnswer(event, { bell: '/bell', words: '' });
		expect(driver.hooks.hearsWhenResumed && !watches).toBe(false);
	});

	it('puts its most careful permission mode first', () => {
		if (driver.headless === 'none') return;
		const widths = driver.headless.permissionModes.map(({ width }) => width);
		expect(widths[0]).toBe(0);
		expect(widths.toSorted((a, b) => a - b)).toEqual(widths);
	});

	it('offers a mode that asks only where Nancy carries its questions, and says that it allows no more than the first, or more than any but the widest', () => {
		if (driver.headless === 'none') return;
		const [first, ...others] = driver.headless.permissionModes;
		const asking = others.filter(({ asks }) => asks);
		// Without a choice of a person's, nobody is asked.
		expect(first?.asks).toBeUndefined();
		const unasked = others.filter(({ asks }) => !asks).map(({ width }) => width);
		const [widest = 0, next = 0] = unasked.toSorted((one, other) => other - one);
		for (const { width } of asking) expect(width === first?.width || (width > next && width < widest)).toBe(true);
		if (askings[driver.id] === undefined) expect(asking).toEqual([]);
	});

	it('offers no mode in a terminal that never asks, and lets no argument replace a chosen one', () => {
		const modes = launchModesOf(driver);
		expect(modes.length === 0).toBe(driver.launchModes === 'none');
		const widest = driver.headless === 'none' ? undefined : driver.headless.permissionModes.at(-1)?.id;
		for (const { id, args } of modes) {
			expect(id).not.toBe(widest);
			expect(args.join(' ')).not.toMatch(/bypass|danger|yolo|skip|never|autopilot|allow-all|auto$/i);
			expect(modeFlags(driver, id, ['--verbose'])).toEqual(args);
			expect(() => modeFlags(driver, id, args)).toThrow(/would replace the permissions/);
		}
		expect(modeFlags(driver, undefined, modes[0]?.args ?? [])).toEqual([]);
		expect(() => modeFlags(driver, widest ?? 'everything', [])).toThrow(/has no permissions/);
	});

	it('names no hook program in a launch without hooks, and lets no mark of its tools through to a new agent', () => {
		const place = { version: driver.oldestVersion, workspaceFolder: '/w', cwd: '/w', hooks: undefined, env: {} };
		const request = { ...place, session, resume: undefined, fork: undefined, model: undefined, extra: [] };
		const launches = [
			driver.launch({ ...request, prompt: 'p', title: 't' }),
			...(driver.headless === 'none'
				? []
				: [driver.headless.launch({ ...request, prompt: 'p', permissions: '' })]),
		];
		expect(JSON.stringify(launches)).not.toMatch(/nancy-hook|\.nancy/);
		expect(driver.foreignVariables).toEqual(expect.arrayContaining([...driver.marks]));
	});

	it('writes for a session that the user starts at least what its own launch needs', () => {
		const request = {
			version: driver.oldestVersion,
			launcher: '/data/nancy/runtime/1-a/nancy-hook',
			workspaceFolder: '/w',
			cwd: '/w',
		};
		const own = driver.deployment({ ...request, scope: 'launch' });
		const all = driver.deployment({ ...request, scope: 'workspace' });
		const places = (plan: typeof own) =>
			[...plan.edits, ...plan.files, ...plan.launchFiles].map(({ file }) => file);
		expect(places(all)).toEqual(expect.arrayContaining(places(own)));
		// Nancy's own program tells what an agent does that she talks with.
		expect(all.events.length > 0).toBe(!isTalkedWith(driver));
	});
});
