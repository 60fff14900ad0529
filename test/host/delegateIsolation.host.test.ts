import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import * as vscode from 'vscode';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { ExecutorId } from '../../src/protocol/executorId.ts';
import { DriverId } from '../../src/protocol/names.ts';
import { askDelegate, type DelegateQuestion } from '../../src/ui/delegates/askDelegate.ts';
import type { DelegateChoice } from '../../src/ui/delegates/delegateChoice.ts';
import type { AgentChoice } from '../../src/ui/ports.ts';
import { Presets } from '../../src/ui/start/presets.ts';
import { StartMemory } from '../../src/ui/start/startMemory.ts';
import { eventually } from '../support/eventually.ts';
import { mementoOf } from '../support/memento.ts';
import { unusedFolder } from '../support/unusedFolder.ts';

const AGENTS = ['heron', 'egret'].map((id): AgentChoice => ({
	id: DriverId.parse(id),
	displayName: id,
	found: { executable: id, version: '1.0.0' },
	installCommand: '',
	isUntried: false,
	lacks: [],
	limits: [],
	model: undefined,
	permissionModes: [
		{ id: 'ask', label: 'Ask me', detail: '', asks: true },
		{ id: 'read', label: 'Read only', detail: '' },
		{ id: 'edit', label: 'Edit', detail: '' },
	],
	isIsolable: id === 'heron',
	launchModes: [],
	takesImages: false,
}));
const gpu = ExecutorId.parse('ssh:gpu1');
const MACHINES = [{ name: 'gpu', id: gpu, isolate: 'bwrap' as const }];
const NONE_HERE = 'There is no bubblewrap.';

describe('the isolation of a delegate', () => {
	const { createQuickPick, showWarningMessage } = vscode.window;
	const folder = unusedFolder(new Workspace('/project'));
	const lists: vscode.QuickPick<vscode.QuickPickItem>[] = [];
	const warned: string[] = [];
	before(() => {
		const create = () => {
			const list = createQuickPick();
			lists.push(list);
			return list;
		};
		const warn = (text: string) => {
			warned.push(text);
			return Promise.resolve(undefined);
		};
		Object.assign(vscode.window, { createQuickPick: create, showWarningMessage: warn });
	});
	after(() => Object.assign(vscode.window, { createQuickPick, showWarningMessage }));

	const next = async () => {
		await eventually('a list', () => lists.length > 0);
		const [list] = lists.splice(0);
		assert.ok(list);
		return list;
	};
	const rowIn = (list: vscode.QuickPick<vscode.QuickPickItem>, label: string) => {
		const { description, detail } = list.items.find(each => each.label === label) ?? {};
		return [description, detail];
	};
	/** As Enter does on that row. */
	const choose = async (list: vscode.QuickPick<vscode.QuickPickItem>, label: string) => {
		const item = list.items.find(each => each.label === label);
		assert.ok(item, label);
		if (list.activeItems[0] !== item) {
			const events = new EventEmitter();
			const listener = list.onDidChangeActive(([active]) => active === item && events.emit('active'));
			list.activeItems = [item];
			await once(events, 'active');
			listener.dispose();
		}
		await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
	};

	function ask(more: Partial<DelegateQuestion>, chosen: Partial<DelegateChoice> = {}) {
		const choice: DelegateChoice = {
			agents: ['heron'],
			models: '',
			place: 'folder',
			permissions: {},
			within: '',
			wallMinutes: 5,
			idleMinutes: 5,
			...chosen,
		};
		return askDelegate({
			order: { folder, parent: undefined, withSelection: false, again: choice },
			written: 'Go.',
			agents: AGENTS,
			machines: MACHINES,
			isolation: { byDefault: 'none' },
			memory: new StartMemory(mementoOf(), mementoOf()),
			presets: new Presets(mementoOf()),
			...more,
		});
	}
	/** The hub, looked at and closed. */
	async function hubOf(...of: Parameters<typeof ask>) {
		const asked = ask(...of).catch(() => undefined);
		const hub = await next();
		const rows = { isolation: rowIn(hub, 'Isolation'), permissions: rowIn(hub, 'Permissions')[0] };
		hub.hide();
		await asked;
		return rows;
	}
	const started = async (...[more, chosen]: Parameters<typeof ask>) => {
		const asked = ask(more, chosen);
		await choose(await next(), 'Start Delegate');
		return (await asked).requests.map(({ isolate, permissions }) => ({ isolate, permissions }));
	};

	it('is chosen in words, goes with the request, and leaves no permissions that ask', async () => {
		const asked = ask({});
		const hub = await next();
		assert.deepEqual(rowIn(hub, 'Isolation'), ['No sandbox', undefined]);
		assert.deepEqual(rowIn(hub, 'Permissions')[0], 'Ask me');
		await choose(hub, 'Isolation');
		const question = await next();
		assert.deepEqual(
			question.items.map(({ label }) => label),
			['No sandbox', 'In a sandbox', 'In a sandbox without network'],
		);
		await choose(question, 'In a sandbox without network');
		const again = await next();
		assert.deepEqual(rowIn(again, 'Isolation'), ['In a sandbox without network', undefined]);
		assert.deepEqual(rowIn(again, 'Permissions')[0], 'Read only');
		await choose(again, 'Start Delegate');
		const { requests } = await asked;
		assert.deepEqual(
			requests.map(({ isolate, permissions }) => [isolate, permissions]),
			[['bwrap-offline', 'read']],
		);
	});

	it('is the one of the user’s settings until a person chooses, for the machine before all', async () => {
		const isolation = { byDefault: 'bwrap-offline' as const };
		const offline = ['In a sandbox without network', undefined];
		assert.deepEqual(await hubOf({ isolation }), { isolation: offline, permissions: 'Read only' });
		const there = { place: 'worktree' as const, on: gpu };
		assert.deepEqual((await hubOf({ isolation }, there)).isolation, ['In a sandbox', undefined]);
		assert.deepEqual((await hubOf({ isolation }, { ...there, isolate: 'none' })).isolation, [
			'No sandbox',
			undefined,
		]);
		// Its operation reads the settings anew.
		assert.deepEqual(await started({ isolation }), [{ isolate: undefined, permissions: 'read' }]);
		assert.deepEqual(await started({ isolation }, { isolate: 'none' }), [{ isolate: 'none', permissions: 'ask' }]);
	});

	it('is not offered where there is none, nor for an agent of which nobody has tried it', async () => {
		const nothing = [undefined, undefined];
		const isolation = { byDefault: 'none' as const, obstacle: NONE_HERE };
		assert.deepEqual((await hubOf({ isolation })).isolation, nothing);
		assert.deepEqual((await hubOf({}, { agents: ['heron', 'egret'] })).isolation, nothing);
		// Another machine may have one.
		const there = { place: 'worktree' as const, on: gpu, isolate: 'none' as const };
		assert.deepEqual((await hubOf({ isolation }, there)).isolation, ['No sandbox', undefined]);
	});

	it('says why the user’s own cannot be had, starts nothing without it, and can be given up', async () => {
		const isolation = { byDefault: 'bwrap' as const, obstacle: NONE_HERE };
		const asked = ask({ isolation });
		const hub = await next();
		assert.deepEqual(rowIn(hub, 'Isolation'), ['In a sandbox', NONE_HERE]);
		await choose(hub, 'Start Delegate');
		const again = await next();
		assert.deepEqual(warned.splice(0), [NONE_HERE]);
		await choose(again, 'Isolation');
		const question = await next();
		assert.deepEqual(
			question.items.map(({ label }) => label),
			['No sandbox', 'In a sandbox'],
		);
		await choose(question, 'No sandbox');
		await choose(await next(), 'Start Delegate');
		assert.deepEqual(
			(await asked).requests.map(({ isolate }) => isolate),
			['none'],
		);
		const untried = await hubOf({ isolation: { byDefault: 'bwrap' } }, { agents: ['egret'] });
		assert.deepEqual(untried.isolation, [
			'In a sandbox',
			'egret cannot run in a sandbox. Choose another agent, or no sandbox.',
		]);
	});
});
