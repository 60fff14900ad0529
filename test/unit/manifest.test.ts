import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import type { Driver } from '../../src/core/driver/driver.ts';
import { drivers } from '../../src/drivers/index.ts';
import {
	ACTING_COMMANDS,
	agentSettings,
	answersSetting,
	COMMANDS,
	CONTAINER,
	CONTEXT_KEYS,
	ITEM_COMMANDS,
	ROW_COMMANDS,
	SETTINGS,
	VIEWS,
	WALKTHROUGH,
	type CommandId,
} from '../../src/ui/contributions.ts';
import { IsolationChoice } from '../../src/protocol/isolation.ts';
import { phrasesIn } from '../support/phrases.ts';

/** In the panel, so that the sidebar has its whole height for what a person acts on. */
const PANEL = 'nancyTraffic';
const COMMENT_COMMANDS: readonly CommandId[] = ['nancy.addComment', 'nancy.deleteComment'];

const root = join(import.meta.dirname, '../..');
const text = readFileSync(join(root, 'package.json'), 'utf8');

const Place = { when: z.optional(z.string()), group: z.optional(z.string()) };
const MenuItem = z.object({ command: z.string(), ...Place });
const Submenu = z.object({ submenu: z.string(), ...Place });
const Container = z.object({ id: z.string(), icon: z.string() });
const Setting = z.looseObject({
	scope: z.string(),
	order: z.number(),
	default: z.unknown(),
	markdownDescription: z.string(),
});
const Manifest = z.object({
	name: z.string(),
	icon: z.string(),
	activationEvents: z.array(z.string()),
	capabilities: z.object({
		untrustedWorkspaces: z.object({ supported: z.string(), restrictedConfigurations: z.array(z.string()) }),
	}),
	contributes: z.object({
		viewsContainers: z.object({ activitybar: z.array(Container), panel: z.array(Container) }),
		views: z.record(
			z.string(),
			z.array(z.object({ id: z.string(), icon: z.string(), type: z.optional(z.string()) })),
		),
		viewsWelcome: z.array(z.object({ view: z.string(), when: z.string(), contents: z.string() })),
		commands: z.array(
			z.strictObject({
				command: z.string(),
				title: z.string(),
				category: z.string(),
				icon: z.optional(z.string()),
				enablement: z.optional(z.string()),
			}),
		),
		keybindings: z.array(z.object({ command: z.string(), key: z.string(), mac: z.string(), when: z.string() })),
		submenus: z.array(z.object({ id: z.string(), label: z.string() })),
		menus: z.record(z.string(), z.array(z.union([MenuItem, Submenu]))),
		configuration: z.array(
			z.object({
				id: z.string(),
				title: z.string(),
				order: z.number(),
				properties: z.record(z.string(), Setting),
			}),
		),
		walkthroughs: z.array(
			z.object({
				id: z.string(),
				steps: z.array(
					z.object({
						id: z.string(),
						media: z.object({ image: z.record(z.string(), z.string()), altText: z.string() }),
						completionEvents: z.array(z.string()),
					}),
				),
			}),
		),
	}),
});
const manifest = Manifest.parse(JSON.parse(text));
const { contributes } = manifest;
const words = z.record(z.string(), z.string()).parse(JSON.parse(readFileSync(join(root, 'package.nls.json'), 'utf8')));
const menus = Object.entries(contributes.menus).map(
	([menu, items]) => [menu, items.filter(item => 'command' in item)] as const,
);
const itemsOf = (menu: string) => menus.find(([name]) => name === menu)?.[1];
const submenus = Object.values(contributes.menus).flatMap(items => items.filter(item => 'submenu' in item));
const menuItems = menus.flatMap(([, items]) => items);
const settings = Object.assign({}, ...contributes.configuration.map(group => group.properties)) as Record<
	string,
	z.infer<typeof Setting>
>;
const answersSettings = drivers
	.filter(each => each.answersByChoice !== 'none' && !each.answersByChoice.isAlways)
	.map(({ id }) => answersSetting(id));
/** No agent may start a CLI that nobody has tried, so no mode for that can be set. */
const settingsOf = ({ id, headless, knownFrom }: Driver) => {
	const { permissionsFromAgents, ...others } = agentSettings(id);
	return headless === 'none' || knownFrom !== 'runs' ? others : { ...others, permissionsFromAgents };
};
const ownSettings = [
	...Object.values(SETTINGS),
	...drivers.flatMap(driver => Object.values(settingsOf(driver))),
	...answersSettings,
];
const whens = [
	...contributes.viewsWelcome.map(({ when }) => when),
	...contributes.keybindings.map(({ when }) => when),
	...[...menuItems, ...submenus].map(({ when }) => when ?? ''),
	...contributes.commands.map(({ enablement }) => enablement ?? ''),
];

describe('the manifest and the code', () => {
	it('name the same commands', () => {
		expect(contributes.commands.map(({ command }) => command).toSorted()).toEqual([...COMMANDS].toSorted());
	});

	it('name the same views', () => {
		expect(contributes.viewsContainers.activitybar.map(({ id }) => id)).toEqual([CONTAINER]);
		expect(contributes.viewsContainers.panel.map(({ id }) => id)).toEqual([PANEL]);
		expect(Object.keys(contributes.views)).toEqual([CONTAINER, PANEL]);
		const views = [...(contributes.views[CONTAINER] ?? []), ...(contributes.views[PANEL] ?? [])];
		expect(views.map(({ id }) => id)).toEqual(Object.values(VIEWS));
	});

	it('name the same settings, those of every agent included', () => {
		expect(Object.keys(settings).toSorted()).toEqual([...ownSettings].toSorted());
	});

	it('name the same context keys', () => {
		const used = new Set(
			[text.matchAll(/\bnancy\.(?:has|agent|traffic|shows)[A-Z]\w*/g)].flatMap(found => [...found].map(String)),
		);
		const own = Object.values(CONTEXT_KEYS);
		const inWhens = [...used].filter(
			key => whens.some(when => when.includes(key)) || text.includes(`onContext:${key}`),
		);
		expect(inWhens.toSorted()).toEqual([...own].toSorted());
	});

	it('name the same walkthrough', () => {
		expect(contributes.walkthroughs.map(({ id }) => id)).toEqual([WALKTHROUGH]);
		expect(`${manifest.name}.${CONTAINER}`).toBe('nancy.nancy');
	});
});

describe('the words of the manifest', () => {
	it('are all in package.nls.json, and no more than that', () => {
		const used = new Set(Array.from(text.matchAll(/"%([^%"]+)%"/g), ([, key]) => key ?? ''));
		expect([...used].toSorted()).toEqual(Object.keys(words).toSorted());
	});

	it('are never written into package.json itself', () => {
		const shown = [
			...contributes.commands.map(({ title }) => title),
			...contributes.viewsWelcome.map(({ contents }) => contents),
			...contributes.configuration.map(({ title }) => title),
			...Object.values(settings).map(setting => setting.markdownDescription),
		];
		expect(shown.filter(each => !/^%[^%]+%$/.test(each))).toEqual([]);
	});

	it('call only commands that exist', () => {
		const called = Object.values(words).flatMap(each =>
			Array.from(each.matchAll(/\(command:(nancy\.[\w.]+)/g), ([, id]) => id ?? ''),
		);
		const known = new Set<string>([...COMMANDS, ...Object.values(VIEWS).map(view => `${view}.focus`)]);
		expect(called.length).toBeGreaterThan(5);
		expect(called.filter(id => !known.has(id))).toEqual([]);
	});
});

describe('commands', () => {
	it('that need a tree item are kept out of the palette, and no others', () => {
		const hidden = itemsOf('commandPalette')?.filter(({ when }) => when === 'false');
		expect(hidden?.map(({ command }) => command).toSorted()).toEqual(
			[...ITEM_COMMANDS, ...COMMENT_COMMANDS].toSorted(),
		);
	});

	it('that need a tree item are in a menu of one', () => {
		const of = submenus.map(({ submenu }) => submenu);
		const offered = new Set(
			['view/item/context', ...of].flatMap(menu => itemsOf(menu)?.map(({ command }) => command) ?? []),
		);
		expect([...ITEM_COMMANDS].filter(command => !offered.has(command))).toEqual([]);
	});

	it('that are offered of a row act on nothing once it is gone, unless the view’s title offers them too', () => {
		const of = ['view/item/context', ...submenus.map(({ submenu }) => submenu)];
		const offered = of.flatMap(menu => itemsOf(menu)?.map(({ command }) => command) ?? []);
		const titles = new Set(itemsOf('view/title')?.map(({ command }) => command));
		const known = new Set<string>(COMMANDS);
		const expected = new Set(offered.filter(id => id !== undefined && known.has(id) && !titles.has(id)));
		expect([...ROW_COMMANDS].toSorted()).toEqual([...expected].toSorted());
	});

	it('that need a tree item or a comment are only where Nancy has drawn something: VS Code gets them after the activation', () => {
		const late = new Set<string>([...ITEM_COMMANDS, ...COMMENT_COMMANDS]);
		const isDrawn = (menu: string, when = '') =>
			/^(commandPalette|view\/item\/context|comments\/.*|nancy\..*)$/.test(menu) || /\bnancy\.shows/.test(when);
		const places = menus.flatMap(([menu, items]) =>
			items.flatMap(({ command, when }) => (late.has(command) && !isDrawn(menu, when) ? [[menu, command]] : [])),
		);
		expect(places).toEqual([]);
		const called = Object.values(words).flatMap(each => [...late].filter(id => each.includes(`command:${id})`)));
		expect(called).toEqual([]);
	});

	it('that need a comment are in a menu of one', () => {
		const offered = new Set(
			menus.flatMap(([menu, items]) => (menu.startsWith('comments/') ? items.map(({ command }) => command) : [])),
		);
		expect(COMMENT_COMMANDS.filter(command => !offered.has(command))).toEqual([]);
	});

	it('stand in menus under names that exist, in a group with a place', () => {
		const known = new Set<string>(COMMANDS);
		expect(menuItems.filter(({ command }) => !known.has(command))).toEqual([]);
		const placed = menus.filter(([menu]) => menu !== 'commandPalette').flatMap(([, items]) => items);
		expect([...placed, ...submenus].filter(({ group }) => !/^\w+@\d+$/.test(group ?? ''))).toEqual([]);
	});

	it('have an icon wherever they are shown as one', () => {
		const iconless = new Set(contributes.commands.filter(({ icon }) => !icon).map(({ command }) => command));
		const shown = menuItems.filter(({ group }) => /^(inline|navigation)@/.test(group ?? ''));
		expect(shown.length).toBeGreaterThan(5);
		expect(shown.filter(({ command }) => iconless.has(command))).toEqual([]);
	});

	it('that start, deploy, deliver or change are hidden in an untrusted workspace as they are refused there', () => {
		const trusted = contributes.commands.filter(({ enablement }) => enablement?.includes('isWorkspaceTrusted'));
		expect(trusted.map(({ command }) => command).toSorted()).toEqual([...ACTING_COMMANDS].toSorted());
	});

	it('delete only in the last group of a menu, and never at a click on a row', () => {
		const places = (id: string) =>
			menuItems.filter(({ command }) => command === id).flatMap(({ group }) => group ?? []);
		expect(places('nancy.deleteTask')).toEqual(['9_delete@1']);
		expect(places('nancy.deleteDelegate')).toEqual(['9_delete@2']);
	});

	it('that stop, merge or discard a delegate are never at a click on its row', () => {
		const inline = itemsOf('view/item/context')?.filter(({ group }) => group?.startsWith('inline@'));
		const reached = inline?.map(({ command }) => command) ?? [];
		expect(reached).toContain('nancy.reviewDelegate');
		for (const act of ['stopDelegate', 'mergeDelegate', 'undoMerge', 'discardDelegate', 'deleteDelegate'])
			expect(reached).not.toContain(`nancy.${act}`);
	});

	it('that review the work of a task are at a click on its row once there may be something to merge', () => {
		const inline = itemsOf('view/item/context')?.filter(({ command, group, when }) => {
			const isReview = command === 'nancy.reviewDelegate' && group?.startsWith('inline@');
			return isReview && when?.includes('worker');
		});
		const pattern = /viewItem =~ \/(.*)\/$/.exec(inline?.[0]?.when ?? '')?.[1] ?? 'none';
		const offered = (row: string) => new RegExp(pattern).test(row);
		expect(
			['task.running worker.idle worktree', 'worker.ended worktree', 'worker.failed worktree'].filter(offered),
		).toHaveLength(3);
		expect(
			['worker.working worktree', 'worker.idle snapshot', 'worker.idle worktree merged'].filter(offered),
		).toEqual([]);
	});

	it('that start again are where those that resume are, on rows of agents that never began', () => {
		const placesOf = (id: string) => (itemsOf('view/item/context') ?? []).filter(({ command }) => command === id);
		const [resume, again] = [placesOf('nancy.resumeWorker'), placesOf('nancy.startAgain')];
		expect(again.map(({ group }) => group)).toEqual(resume.map(({ group }) => group));
		const offered = (items: typeof again, row: string) =>
			items.filter(({ when }) => new RegExp(/viewItem =~ \/(.*)\/$/.exec(when ?? '')?.[1] ?? 'none').test(row))
				.length;
		const rows = [
			'worker.ended',
			'task worker.failed worktree',
			'worker.ended unbegun',
			'task worker.failed worktree unbegun',
		];
		expect(rows.map(row => [offered(resume, row), offered(again, row)])).toEqual([
			[2, 0],
			[1, 0],
			[0, 2],
			[0, 1],
		]);
		expect(offered(again, 'worker.starting unbegun')).toBe(0);
	});

	it('that fork a conversation are offered on rows that can be forked alone', () => {
		const forks = submenus
			.flatMap(({ submenu }) => itemsOf(submenu) ?? [])
			.filter(({ command }) => command === 'nancy.forkWorker');
		expect(forks).toHaveLength(1);
		const pattern = /viewItem =~ \/(.*)\/$/.exec(forks[0]?.when ?? '')?.[1] ?? '';
		const rows = [
			'task worker.ended fork',
			'worker.idle worktree merged fork',
			'worker.idle',
			'worker.failed unbegun',
		];
		expect(rows.filter(row => new RegExp(pattern).test(row))).toEqual(rows.slice(0, 2));
	});

	it('that are at a click on a row are in its menu too, for the keyboard', () => {
		const items = itemsOf('view/item/context') ?? [];
		const isInline = ({ group = '' }: { group?: string | undefined }) => group.startsWith('inline@');
		const placeOf = ({ command, when = '' }: { command: string; when?: string | undefined }) =>
			[command, /\bview == (\S+)/.exec(when)?.[1]].join(' in ');
		const inMenus = new Set(items.filter(each => !isInline(each)).map(placeOf));
		expect(items.filter(isInline).length).toBeGreaterThan(10);
		expect(items.filter(each => isInline(each) && !inMenus.has(placeOf(each)))).toEqual([]);
	});

	it('stand in submenus that exist', () => {
		const known = contributes.submenus.map(({ id }) => id);
		expect(submenus.map(({ submenu }) => submenu).toSorted()).toEqual(known.toSorted());
		expect(known.filter(id => itemsOf(id) === undefined)).toEqual([]);
	});

	it.each([
		'queued',
		'running',
		'parked',
		'failed',
		'done',
		'running.worktree',
		'failed.worktree',
		'done.worktree',
		'done.worktree.merged',
	])('are at most eight in the menu of a delegate that is %s', state => {
		const shown = (contributes.menus['view/item/context'] ?? []).filter(({ when = '', group = '' }) => {
			const pattern = /^view == nancy\.delegates && viewItem =~ \/(.*)\/(?= |$)/.exec(when)?.[1];
			return (
				pattern !== undefined && !group.startsWith('inline@') && new RegExp(pattern).test(`delegate.${state}`)
			);
		});
		expect(shown.length).toBeGreaterThan(2);
		expect(shown.length).toBeLessThanOrEqual(8);
	});

	it.each([
		'task',
		'task.running',
		'task.found.running',
		'task.archived',
		'task.running worker.working',
		'task worker.ended',
		'task.found.running worker.idle',
		'worker.waiting',
		'worker.ended',
		'task worker.ended snapshot',
		'task.running worker.idle snapshot',
		'task.running worker.working snapshot',
		'delegate.running.worktree',
		'delegate.done.worktree',
	])('are at most eight in the menu of a row of a task that is %s, and none that stops is at a click', state => {
		const shown = (contributes.menus['view/item/context'] ?? []).filter(({ when = '' }) => {
			const [, pattern, only] = /^view == nancy\.tasks && viewItem =(?:~ \/(.*)\/|= (.*))$/.exec(when) ?? [];
			return only === state || (pattern !== undefined && new RegExp(pattern).test(state));
		});
		const isInline = ({ group = '' }: { group?: string | undefined }) => group.startsWith('inline@');
		const menu = shown.filter(each => !isInline(each));
		expect(menu.length).toBeGreaterThan(1);
		expect(menu.length).toBeLessThanOrEqual(8);
		const inline = shown.filter(isInline).map(each => ('command' in each ? each.command : ''));
		expect(inline.filter(command => /stop|delete|merge|discard|archive/i.test(command))).toEqual([]);
	});
});

describe('settings', () => {
	it('that name programs or arguments are the machine’s, and ignored in an untrusted workspace', () => {
		for (const driver of drivers) {
			const { model: _ofTheProject, ...machines } = settingsOf(driver);
			for (const key of Object.values(machines)) {
				expect([key, settings[key]?.scope]).toEqual([key, 'machine']);
				expect(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations).toContain(key);
			}
		}
	});

	it('that let Nancy carry answers are the machine’s, and off', () => {
		expect(answersSettings.length).toBeGreaterThan(0);
		for (const key of answersSettings) {
			expect(settings[key]).toMatchObject({ scope: 'machine', default: false });
			expect(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations).toContain(key);
		}
	});

	it('that name models, which cost, are ignored in an untrusted workspace', () => {
		for (const key of drivers.map(({ id }) => agentSettings(id).model)) {
			expect([key, settings[key]?.scope]).toEqual([key, 'machine-overridable']);
			expect(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations).toContain(key);
		}
	});

	it('can be a workspace’s only where they open no port, run no program, let nothing in, answer nothing and bound no agent', () => {
		const isOwn = (key: string) => ['machine', 'application'].includes(settings[key]?.scope ?? '');
		const ofWorkspaces = Object.keys(settings).filter(key => !isOwn(key));
		// Each of these was weighed: a new setting that is the machine's needs no line here.
		expect(new Set(ofWorkspaces)).toEqual(
			new Set([
				...drivers.map(({ id }) => agentSettings(id).model),
				SETTINGS.defaultAgent,
				SETTINGS.tokenThreshold,
				SETTINGS.notifyPermission,
				SETTINGS.notifyStopped,
				SETTINGS.notifyMessage,
				SETTINGS.notifyDelegate,
				SETTINGS.trafficSessions,
				SETTINGS.trafficFileSize,
				SETTINGS.trafficTotalSize,
				SETTINGS.delegatesSwarm,
			]),
		);
	});

	it('that open a port or run a program of the user’s for the desk do nothing before the user sets them', () => {
		expect(settings[SETTINGS.serverEnabled]).toMatchObject({ scope: 'machine', default: false });
		expect(settings[SETTINGS.serverAddress]).toMatchObject({ scope: 'machine', default: '' });
		expect(settings[SETTINGS.deskNotify]).toMatchObject({ scope: 'machine', default: '' });
	});

	it('that has a program stand between an agent and its terminal is the machine’s, and does nothing before the user sets it', () => {
		expect(settings[SETTINGS.terminalHost]).toMatchObject({ scope: 'machine', default: 'direct' });
	});

	it('that isolates delegates is the machine’s: no workspace takes the sandbox away', () => {
		expect(settings[SETTINGS.delegatesIsolate]).toMatchObject({
			scope: 'machine',
			default: 'none',
			enum: [...IsolationChoice.options],
		});
	});

	it('that takes the hooks from agents is the machine’s: an agent can write a folder’s', () => {
		expect(settings[SETTINGS.hooks]?.scope).toBe('machine');
	});

	it('that name commands to run are the machine’s: trusting a folder is not asking for what its files say to run', () => {
		for (const key of [SETTINGS.delegatesSetUp, SETTINGS.delegatesTearDown]) {
			expect([key, settings[key]?.scope]).toEqual([key, 'machine']);
			expect(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations).toContain(key);
		}
	});

	it('have a default, and an order that no other in the group has', () => {
		for (const { properties } of contributes.configuration) {
			const all = Object.values(properties);
			expect(all.map(setting => setting.default)).not.toContain(undefined);
			expect(new Set(all.map(({ order }) => order)).size).toBe(all.length);
		}
	});
});

it('names only files that are there', () => {
	const files = [
		manifest.icon,
		...contributes.viewsContainers.activitybar.map(({ icon }) => icon),
		...Object.values(contributes.views).flatMap(views => views.map(({ icon }) => icon)),
		...contributes.walkthroughs.flatMap(({ steps }) => steps.flatMap(({ media }) => Object.values(media.image))),
	];
	expect(files.filter(file => !existsSync(join(root, file)))).toEqual([]);
});

it('activates on nothing that VS Code does not imply but the end of start-up', () => {
	expect(manifest.activationEvents).toEqual(['onStartupFinished']);
});

it('keeps every sentence of the code where translators find it', async () => {
	const bundle: Record<string, string> = {};
	for (const file of globSync('src/{late.ts,main.ts,main/*.ts,ui/**/*.ts}', { cwd: root }).toSorted()) {
		const code = readFileSync(join(root, file), 'utf8');
		const calls = code.match(/\bl10n\.t\(/g)?.length ?? 0;
		const found = Array.from(code.matchAll(/\bl10n\.t\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/g));
		// Only whole sentences can be translated: no call may build its text. The one door of the phrases passes their keys on.
		expect([file, found.length]).toEqual([file, file === 'src/ui/kit/translated.ts' ? 0 : calls]);
		for (const [, single, double] of found) {
			const sentence = (single ?? double ?? '').replaceAll(/\\(.)/g, '$1');
			bundle[sentence] = sentence;
		}
	}
	expect(Object.keys(bundle).length).toBeGreaterThan(100);
	const phrases = sourcesOfCore().flatMap(([, code]) => phrasesIn(code));
	expect(phrases.length).toBeGreaterThan(100);
	for (const phrase of phrases) bundle[phrase] = phrase;
	const sorted = Object.fromEntries(Object.entries(bundle).toSorted(([a], [b]) => (a < b ? -1 : 1)));
	// Refreshed by `npx vitest run test/unit/manifest.test.ts -u`.
	await expect(`${JSON.stringify(sorted, undefined, '\t')}\n`).toMatchFileSnapshot(
		join(root, 'l10n/bundle.l10n.json'),
	);
});

it('lets every error that a person may read be translated', () => {
	// Only agents and the terminal's user read these.
	const others = /^src\/(?:core\/asker|cli|conversations|hook|mcp)\//;
	const unmarked = sourcesOfCore().filter(
		([file, code]) => !others.test(file) && /\bnew NancyError\(\s*'[a-z-]+',\s*['"`]/.test(code),
	);
	expect(unmarked.map(([file]) => file)).toEqual([]);
});

/** All but the window, whose texts go through `l10n.t`; without the tag itself. */
function sourcesOfCore(): (readonly [file: string, code: string])[] {
	return globSync('src/**/*.{ts,tsx}', { cwd: root, exclude: ['src/ui/**', 'src/main/**', 'src/base/phrase.ts'] })
		.toSorted()
		.map(file => [file, readFileSync(join(root, file), 'utf8')]);
}
