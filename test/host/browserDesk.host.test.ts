import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import * as vscode from 'vscode';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { WindowDesk } from '../../src/main/windowDesk.ts';
import { BrowserDesk } from '../../src/ui/desk/browserDesk.ts';
import { DeviceId } from '../../src/protocol/deskApi.ts';
import type { DeskDevice, DeskOwner, OpenDesk } from '../../src/ui/desk/deskPorts.ts';
import { eventually } from '../support/eventually.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';
import { unusedFolder } from '../support/unusedFolder.ts';

const settings = () => vscode.workspace.getConfiguration('nancy.server');
const set = (name: string, value: unknown) => settings().update(name, value, vscode.ConfigurationTarget.Global);

/** The status of the page under a name; `undefined` if nothing listens. */
function statusOf({ port }: OpenDesk, host: string): Promise<number | undefined> {
	return new Promise(resolve => {
		request({ host: '127.0.0.1', port, headers: { host }, agent: false }, ({ statusCode }) => resolve(statusCode))
			.on('error', () => resolve(undefined))
			.end();
	});
}

/** The desk of a window, with the real server of pages that say nothing. */
function deskOf(extension: TempFolder) {
	mkdirSync(extension.file('media/desk'), { recursive: true });
	for (const name of ['desk.html', 'desk.js', 'desk.css']) writeFileSync(extension.file('media/desk', name), '');
	const folder = unusedFolder(new Workspace(extension.path));
	const real = new WindowDesk(extension.path, () => assert.fail('nothing is done here'));
	const opened: OpenDesk[] = [];
	const failed: unknown[] = [];
	const desk = new BrowserDesk({
		folders: { list: () => [folder], onDidChange: new vscode.EventEmitter<void>().event },
		failures: { background: work => void work.catch((error: unknown) => failed.push(error)) },
		desk: {
			view: real.view,
			open: async (...given) => {
				const made = await real.open(...given);
				opened.push(made);
				return made;
			},
			devices: () => real.devices(),
			revoke: id => real.revoke(id),
			revokeAll: () => real.revokeAll(),
		},
	});
	return { desk, opened, failed };
}

// A test outside of all suites would run before the suite of the activation, which needs an untouched window.
describe('the desk in a browser', () => {
	it('opens a port only with the setting, shows a code for a phone under the user’s address, and closes without the setting', async () => {
		await using extension = tempFolder();
		const { desk, opened, failed } = deskOf(extension);
		const tabs = () => vscode.window.tabGroups.all.flatMap(group => group.tabs.map(({ label }) => label));
		try {
			void desk.openOnPhone();
			await set('address', 'https://desk.example.net');
			assert.equal(opened.length, 0);
			await set('enabled', true);
			await desk.openOnPhone();
			const [made] = opened;
			assert.ok(made);
			await eventually('the code', () => tabs().includes('Desk on a Phone'));
			assert.equal(await statusOf(made, 'desk.example.net'), 200);
			assert.equal(await statusOf(made, `127.0.0.1:${made.port}`), 200);
			assert.equal(await statusOf(made, 'evil.example'), 421);
			await desk.openOnPhone();
			assert.equal(opened.length, 1);
			await set('enabled', false);
			await eventually(
				'the port is closed',
				async () => (await statusOf(made, 'desk.example.net')) === undefined,
			);
			assert.deepEqual(failed, []);
		} finally {
			desk.dispose();
			await set('enabled', undefined);
			await set('address', undefined);
		}
		await eventually('the code is gone', () => !tabs().includes('Desk on a Phone'));
	});

	it('answers under the address by which VS Code leads to it, and under none with a path, which other servers of this machine share', async () => {
		await using extension = tempFolder();
		const { desk, opened, failed } = deskOf(extension);
		const { asExternalUri, openExternal } = vscode.env;
		const { showInformationMessage } = vscode.window;
		const shown: string[] = [];
		const told: string[] = [];
		let external = 'https://one.example.net/';
		Object.assign(vscode.env, {
			asExternalUri: () => Promise.resolve(vscode.Uri.parse(external)),
			openExternal: (uri: vscode.Uri) => {
				shown.push(uri.toString(true));
				return Promise.resolve(true);
			},
		});
		Object.assign(vscode.window, {
			showInformationMessage: (text: string) => {
				told.push(text);
				return Promise.resolve(undefined);
			},
		});
		try {
			await set('enabled', true);
			await desk.openInBrowser();
			const [made] = opened;
			assert.ok(made);
			// VS Code leads the address of this machine there by itself.
			assert.match(shown.pop() ?? '', new RegExp(`^${made.address}#pair=[\\w-]{22}$`));
			assert.equal(await statusOf(made, 'one.example.net'), 200);
			external = 'https://two.example.net/';
			await desk.openInBrowser();
			assert.deepEqual(
				[await statusOf(made, 'one.example.net'), await statusOf(made, 'two.example.net')],
				[421, 200],
			);
			shown.length = 0;
			external = `https://shared.example.net/proxy/${made.port}/`;
			await desk.openInBrowser();
			assert.equal(await statusOf(made, 'shared.example.net'), 421);
			assert.deepEqual(shown, []);
			assert.match(told.pop() ?? '', /Let a tunnel of your own lead to port/);
			// The real one, whatever leads to this window: nothing but a whole origin counts.
			Object.assign(vscode.env, { asExternalUri });
			const real = new URL(String(await asExternalUri(vscode.Uri.parse(made.address, true))));
			await desk.openInBrowser();
			assert.equal(await statusOf(made, real.host), real.pathname === '/' ? 200 : 421);
			assert.deepEqual(failed, []);
		} finally {
			Object.assign(vscode.env, { asExternalUri, openExternal });
			Object.assign(vscode.window, { showInformationMessage });
			desk.dispose();
			await set('enabled', undefined);
		}
	});

	it('lets a browser in with no more than it has asked for, and not once it has given up', async () => {
		const owners: DeskOwner[] = [];
		const desk = new BrowserDesk({
			folders: { list: () => [], onDidChange: new vscode.EventEmitter<void>().event },
			failures: { background: () => undefined },
			desk: {
				view: new WindowDesk('', () => assert.fail('nothing is done here')).view,
				open: (_, owner) => {
					owners.push(owner);
					return Promise.reject(new Error('not opened'));
				},
				devices: () => Promise.resolve([]),
				revoke: () => Promise.resolve(),
				revokeAll: () => Promise.resolve(),
			},
		});
		const { showWarningMessage } = vscode.window;
		const said: string[][] = [];
		let press: (buttons: readonly string[]) => string | undefined = () => undefined;
		Object.assign(vscode.window, {
			showWarningMessage: (text: string, options?: { modal: boolean }, ...buttons: string[]) => {
				said.push([text, ...buttons]);
				return Promise.resolve(options?.modal ? press(buttons) : undefined);
			},
		});
		try {
			await set('enabled', true);
			await assert.rejects(desk.openInBrowser(), /not opened/);
			const [owner] = owners;
			assert.ok(owner);
			const asks = (signal = new AbortController().signal) =>
				owner.letIn({ name: 'Phone', number: '0042', scope: 'feedback' }, signal);
			assert.equal(await asks(), undefined);
			assert.deepEqual(said.pop()?.slice(1), ['Only Look', 'Look and Write']);
			press = buttons => buttons[0];
			assert.equal(await asks(), 'view');
			said.length = 0;
			assert.equal(await asks(AbortSignal.abort()), undefined);
			assert.match(said[1]?.[0] ?? '', /“Phone” was not let in: its code has expired/);
		} finally {
			Object.assign(vscode.window, { showWarningMessage });
			desk.dispose();
			await set('enabled', undefined);
		}
	});

	it('keeps the server of a later start, whenever an earlier one fails that was given up', async () => {
		const starts: { fail: (error: Error) => void }[] = [];
		const closing: Promise<unknown>[] = [];
		const desk = new BrowserDesk({
			folders: { list: () => [], onDidChange: new vscode.EventEmitter<void>().event },
			failures: { background: work => void closing.push(work.catch(() => undefined)) },
			desk: {
				view: new WindowDesk('', () => assert.fail('nothing is done here')).view,
				open: () => new Promise((_, fail) => starts.push({ fail })),
				devices: () => Promise.resolve([]),
				revoke: () => Promise.resolve(),
				revokeAll: () => Promise.resolve(),
			},
		});
		try {
			await set('enabled', true);
			const first = assert.rejects(desk.openInBrowser(), /the first/);
			await eventually('the first start', () => starts.length === 1);
			await set('enabled', false);
			await eventually('it is given up', () => closing.length === 1);
			await set('enabled', true);
			const second = assert.rejects(desk.openInBrowser(), /the second/);
			await eventually('the second start', () => starts.length === 2);
			starts[0]?.fail(new Error('the first'));
			await first;
			const again = assert.rejects(desk.openInBrowser(), /the second/);
			await new Promise(resolve => setImmediate(resolve));
			assert.equal(starts.length, 2);
			starts[1]?.fail(new Error('the second'));
			await Promise.all([second, again]);
			// After a failure, the next wish is a new start.
			const third = assert.rejects(desk.openInBrowser(), /the third/);
			await eventually('the third start', () => starts.length === 3);
			starts[2]?.fail(new Error('the third'));
			await third;
		} finally {
			desk.dispose();
			await set('enabled', undefined);
		}
	});

	it('takes one device out, or all of them, once the person has said so', async () => {
		const out: string[] = [];
		const [phone, tablet] = ['Phone', 'Tablet'].map((name, at) => ({
			id: DeviceId.parse(`${at}`.repeat(16)),
			name,
			scope: 'view' as const,
			madeAt: new Date().toISOString(),
			usedAt: new Date().toISOString(),
		})) as [DeskDevice, DeskDevice];
		let devices: readonly DeskDevice[] = [phone, tablet];
		const desk = new BrowserDesk({
			folders: { list: () => [], onDidChange: new vscode.EventEmitter<void>().event },
			failures: { background: () => undefined },
			desk: {
				view: new WindowDesk('', () => assert.fail('nothing is done here')).view,
				open: () => Promise.reject(new Error('not opened')),
				devices: () => Promise.resolve(devices),
				revoke: id => Promise.resolve(void out.push(id)),
				revokeAll: () => Promise.resolve(void out.push('all')),
			},
		});
		const { showQuickPick, showWarningMessage } = vscode.window;
		let place = -1;
		let rows: string[] = [];
		let says: string | undefined;
		Object.assign(vscode.window, {
			showQuickPick: (items: readonly vscode.QuickPickItem[]) => {
				rows = items.map(({ label }) => label.replace(/^\$\([\w-]+\) /, ''));
				return Promise.resolve(items.at(place));
			},
			showWarningMessage: () => Promise.resolve(says),
		});
		try {
			await assert.rejects(desk.showDevices());
			assert.deepEqual([rows, out], [['Phone', 'Tablet', 'All Devices'], []]);
			says = 'Take Out';
			await desk.showDevices();
			assert.deepEqual(out, ['all']);
			place = 0;
			await desk.showDevices();
			assert.deepEqual(out, ['all', phone.id]);
			devices = [tablet];
			await desk.showDevices();
			assert.deepEqual([rows, out.at(-1)], [['Tablet'], tablet.id]);
		} finally {
			Object.assign(vscode.window, { showQuickPick, showWarningMessage });
			desk.dispose();
		}
	});
});
