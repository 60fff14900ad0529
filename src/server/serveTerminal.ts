import { Readable } from 'node:stream';
import { quoted } from '../base/visible.ts';
import { SCOPES, mayDo, type Scope } from '../protocol/scope.ts';
import type { DeskServer } from './deskServer.ts';
import { qrCode } from './qrCode.ts';
import type { Newcomer, Owner, Warning } from './served.ts';

const warnings: Readonly<Record<Warning, string>> = {
	guesses:
		'somebody on this machine tries codes or tokens that are none. They are refused for a minute; your devices go on.',
	'devices-unreadable': 'the list of devices cannot be read, so all devices are out. Pair them again.',
};

const HELP = 'Enter: a new address · devices: the list · revoke N, or all: out · Ctrl-C: end';

/** The terminal of the command that serves. */
interface Terminal {
	readonly stdin: AsyncIterable<Uint8Array | string>;
	writeLine(line: string): void;
	note(text: string): void;
	/** How long ago a moment was. */
	ago(at: string): string;
}

interface Asked extends Newcomer {
	readonly decide: (scope: Scope | undefined) => void;
}

/** The terminal of the person who serves the desk: it shows addresses, and asks whom to let in. */
export class ServeTerminal implements Owner {
	private readonly waiting: Asked[] = [];
	/** The line that is being typed may be for somebody who no longer waits. */
	private isStale = false;

	constructor(
		private readonly context: Terminal,
		private readonly address: URL | undefined,
	) {}

	letIn(newcomer: Newcomer, signal: AbortSignal): Promise<Scope | undefined> {
		return new Promise(resolve => {
			const asked: Asked = {
				...newcomer,
				decide: scope => {
					this.waiting.splice(this.waiting.indexOf(asked), 1);
					resolve(scope);
					this.askNext();
				},
			};
			signal.addEventListener('abort', () => this.waiting.includes(asked) && this.giveUp(asked));
			this.waiting.push(asked);
			if (this.waiting.length === 1) this.askNext();
		});
	}

	warn(what: Warning): void {
		this.context.note(warnings[what]);
	}

	/** Until the person ends it, the terminal is closed, or nobody has used the server for long. */
	async run(server: DeskServer, folder: string, signal: AbortSignal): Promise<void> {
		this.say(`The desk of ${folder} is open at port ${server.port} of this machine.`);
		this.invite(server);
		const ended = new Promise<void>(resolve => {
			signal.addEventListener('abort', () => resolve());
			server.onDidEnd(() => {
				this.say('Nobody has used the desk for long, so it is closed.');
				resolve();
			});
		});
		await Promise.race([ended, this.obey(server)]);
		// Nothing more is read, so the program can end.
		if (this.context.stdin instanceof Readable) this.context.stdin.destroy();
	}

	private async obey(server: DeskServer): Promise<void> {
		let rest = '';
		for await (const piece of this.context.stdin) {
			const lines = (rest + String(piece)).split('\n');
			rest = lines.pop() ?? '';
			for (const line of lines) await this.take(server, line.trim().toLowerCase());
		}
	}

	private async take(server: DeskServer, line: string): Promise<void> {
		const [asked] = this.waiting;
		const isForAnother = this.isStale;
		this.isStale = false;
		if (asked) return isForAnother ? this.askNext() : this.decide(asked, line);
		const [, place] = /^revoke (\d{1,4}|all)$/.exec(line) ?? [];
		if (line === '') this.invite(server);
		else if (line === 'devices') this.list(server);
		else if (place === undefined) this.say(HELP);
		else await this.revoke(server, place);
	}

	private decide(asked: Asked, line: string): void {
		const scope = SCOPES.find(each => each === line);
		if (scope !== undefined) {
			this.say(`${asked.name} is let in: ${scope}.`);
			asked.decide(scope);
		} else if (line === 'no') {
			this.say(`${asked.name} stays out.`);
			asked.decide(undefined);
		} else this.askNext();
	}

	/** Its time is over. */
	private giveUp(asked: Asked): void {
		this.say(`${asked.name} no longer waits, and stays out. Enter makes a new address.`);
		this.isStale = this.waiting[0] === asked && this.waiting.length > 1;
		asked.decide(undefined);
	}

	private askNext(): void {
		const [asked] = this.waiting;
		if (!asked) return;
		const may = SCOPES.filter(each => mayDo(asked.scope, each));
		this.say(
			`A browser that calls itself ${quoted(asked.name)} wants to come in. It must show the number ${asked.number}.`,
			`What may it do? Type ${may.join(', ')} or no:`,
		);
	}

	private invite(server: DeskServer): void {
		const { address } = this;
		const link = server.invite(address?.href ?? server.address);
		this.say(
			'',
			...(address
				? [qrCode(link), `Your tunnel must lead ${address.href} to http://127.0.0.1:${server.port}`]
				: []),
			`For one browser, within two minutes: ${link}`,
			HELP,
		);
	}

	private list(server: DeskServer): void {
		const devices = server.paired();
		if (devices.length === 0) this.say('No browser is let in.');
		for (const [index, { name, scope, madeAt, usedAt }] of devices.entries())
			this.say(
				`${index + 1}  ${name}  ${scope}  let in ${this.context.ago(madeAt)}, used ${this.context.ago(usedAt)}`,
			);
	}

	private async revoke(server: DeskServer, place: string): Promise<void> {
		const paired = server.paired();
		const chosen = place === 'all' ? paired : paired.slice(Number(place) - 1, Number(place));
		if (chosen.length === 0)
			return this.say(place === 'all' ? 'No browser is let in.' : `There is no device ${place}.`);
		for (const { id, name } of chosen) {
			try {
				await server.revoke(id);
			} catch (error) {
				if (!(error instanceof Error)) throw error;
				this.context.note(error.message);
			}
			this.say(`${name} is out.`);
		}
	}

	private say(...lines: readonly string[]): void {
		for (const line of lines) this.context.writeLine(line);
	}
}
