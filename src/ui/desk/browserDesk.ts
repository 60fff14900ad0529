import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { mayDo, SCOPES, type Scope } from '../../protocol/scope.ts';
import { SETTINGS } from '../contributions.ts';
import type { Folders } from '../folders.ts';
import type { Failures } from '../kit/failures.ts';
import { formatAge } from '../kit/format.ts';
import { pickOne } from '../kit/inputs.ts';
import { ask, confirm, inform, warn } from '../kit/messages.ts';
import { serverAddress, serverEnabled } from '../settings.ts';
import type { DeskDevice, DeskNewcomer, DeskOperations, OpenDesk } from './deskPorts.ts';
import { PhonePanel } from './phonePanel.ts';

interface Collaborators {
	folders: Pick<Folders, 'list' | 'onDidChange'>;
	failures: Pick<Failures, 'background'>;
	desk: DeskOperations;
}

/** The desk's server of this window: none until a person asks for it, and none without the setting. */
export class BrowserDesk implements vscode.Disposable {
	private opening: Promise<OpenDesk> | undefined;
	private readonly phone = new PhonePanel();
	private readonly following: vscode.Disposable;
	/** Makes a new code, as the last one was made. */
	private again: () => Promise<void> = () => this.openInBrowser();

	constructor(private readonly own: Collaborators) {
		this.following = vscode.workspace.onDidChangeConfiguration(change => {
			if (change.affectsConfiguration(SETTINGS.serverEnabled) && !serverEnabled())
				own.failures.background(this.close());
		});
	}

	dispose(): void {
		this.following.dispose();
		this.phone.dispose();
		this.own.failures.background(this.close());
	}

	/** In a browser of the person's machine, wherever the workspace is. */
	async openInBrowser(): Promise<void> {
		if (!(await this.isAllowed())) return;
		this.again = () => this.openInBrowser();
		const desk = await this.open();
		const { external, own } = await this.know(desk);
		// VS Code leads an address of loopback to the machine of the workspace by itself.
		const address = external ? desk.address : own?.href;
		if (address === undefined) return askForTunnel(desk.port);
		await vscode.env.openExternal(vscode.Uri.parse(desk.invite(address), true));
	}

	/** As a code for a phone's camera. */
	async openOnPhone(): Promise<void> {
		if (!(await this.isAllowed())) return;
		this.again = () => this.openOnPhone();
		const desk = await this.open();
		const { external, own } = await this.know(desk);
		const address = own ?? (external?.protocol === 'https:' ? external : undefined);
		if (address === undefined) return askForTunnel(desk.port);
		const link = desk.invite(address.href);
		this.phone.show(desk.picture(link), address, desk.port);
	}

	/** Lists the paired browsers of all servers of this user, and takes the chosen one out, or all. */
	async showDevices(): Promise<void> {
		const devices = await this.own.desk.devices();
		if (devices.length === 0) return void inform(l10n.t('No browser is let in to the desk.'));
		const rows = devices.map(device => ({ ...deviceRow(device), device }));
		const all = { label: l10n.t('All Devices'), icon: 'clear-all', device: undefined };
		const title = l10n.t('Take a Device Out of the Desk');
		const chosen = await pickOne(title, devices.length > 1 ? [...rows, all] : rows);
		if (!chosen) return;
		const button = l10n.t('Take Out');
		if (chosen.device === undefined) {
			const text = l10n.t('Take all {0} devices out?', devices.length);
			await confirm(text, l10n.t('Their pages close at once.'), button);
			return this.own.desk.revokeAll();
		}
		const { id, name } = chosen.device;
		await confirm(l10n.t('Take “{0}” out?', name), l10n.t('Its page closes at once.'), button);
		await this.own.desk.revoke(id);
	}

	private async isAllowed(): Promise<boolean> {
		if (serverEnabled()) return true;
		const button = l10n.t('Open Settings');
		const text = l10n.t('The desk for browsers is off. A server on this machine is needed for it.');
		if ((await inform(text, button)) === button)
			await vscode.commands.executeCommand('workbench.action.openSettings', SETTINGS.serverEnabled);
		return false;
	}

	private open(): Promise<OpenDesk> {
		return (this.opening ??= this.start());
	}

	private start(): Promise<OpenDesk> {
		const opening = this.own.desk.open(this.own.folders, {
			letIn: (newcomer, signal) => this.letIn(newcomer, signal),
			warn: what => void warn(warning(what)),
		});
		// Meanwhile it may have been given up, and another one begun.
		const forget = () => {
			if (this.opening === opening) this.opening = undefined;
		};
		opening.then(desk => void desk.onDidEnd(forget), forget);
		return opening;
	}

	private async close(): Promise<void> {
		const { opening } = this;
		this.opening = undefined;
		this.phone.hide();
		await (await opening)?.close();
	}

	/**
	 * Lets the server answer under the addresses that lead to it: VS Code's own, which may change, and the user's. An address with a path
	 * is none. Behind it, every other forwarded port is the same origin, and an agent's own server could act as the desk's page.
	 */
	private async know(desk: OpenDesk): Promise<{ external: URL | undefined; own: URL | undefined }> {
		const given = new URL(String(await vscode.env.asExternalUri(vscode.Uri.parse(desk.address, true))));
		const external = given.pathname === '/' ? given : undefined;
		const own = serverAddress();
		desk.setAddresses([external, own].filter(each => each !== undefined));
		return { external, own };
	}

	/** VS Code cannot close its dialog. So a Yes that comes too late is told, and lets nobody in. */
	private async letIn({ name, number, scope }: DeskNewcomer, signal: AbortSignal): Promise<Scope | undefined> {
		const buttons = scopeButtons(scope);
		const chosen = await ask(
			l10n.t('A browser that calls itself “{0}” wants to come in to the desk.', name),
			l10n.t(
				'It must show the number {0}. If it does not, or if you did not open the desk just now, cancel.',
				number,
			),
			...buttons.map(({ label }) => label),
		);
		this.phone.hide();
		const allowed = buttons.find(({ label }) => label === chosen)?.scope;
		if (allowed === undefined || !signal.aborted) return allowed;
		this.own.failures.background(this.offerAgain(name));
		return undefined;
	}

	private async offerAgain(name: string): Promise<void> {
		const button = l10n.t('New Code');
		const text = l10n.t('“{0}” was not let in: its code has expired after two minutes.', name);
		if ((await warn(text, button)) === button) await this.again();
	}
}

/** The widest that it has asked for comes last: a stray Enter takes the first. */
function scopeButtons(wanted: Scope): { scope: Scope; label: string }[] {
	const labels: Readonly<Record<Scope, string>> = {
		answer: l10n.t('Answer Questions and Write'),
		feedback: l10n.t('Look and Write'),
		view: l10n.t('Only Look'),
	};
	return SCOPES.filter(scope => mayDo(wanted, scope)).map(scope => ({ scope, label: labels[scope] }));
}

function deviceRow({ name, scope, madeAt, usedAt }: DeskDevice) {
	const may = scopeButtons(scope).at(-1)?.label ?? scope;
	const when = l10n.t('Let in {0} ago, used {1} ago', formatAge(madeAt), formatAge(usedAt));
	return { label: name, description: may, detail: when, icon: 'device-mobile' };
}

function warning(what: 'guesses' | 'devices-unreadable'): string {
	return what === 'guesses'
		? l10n.t(
				'Some program on this machine tries to get into the desk with codes that are none. It is refused for a minute.',
			)
		: l10n.t('The list of the desk’s devices cannot be read, so all devices are out. Pair them again.');
}

async function askForTunnel(port: number): Promise<void> {
	const button = l10n.t('Open Settings');
	const text = l10n.t(
		'A browser elsewhere cannot reach this machine by itself. Let a tunnel of your own lead to port {0}, and name its address in the settings.',
		port,
	);
	if ((await inform(text, button)) === button)
		await vscode.commands.executeCommand('workbench.action.openSettings', SETTINGS.serverAddress);
}
