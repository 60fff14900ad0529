import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { NewestMap } from '../base/newestMap.ts';
import { sha256 } from '../base/sha256.ts';
import { visibleLine } from '../base/visible.ts';
import type { PairReply, PairResult } from '../protocol/deskApi.ts';
import { mayDo, type Scope } from '../protocol/scope.ts';
import type { Devices } from './devices.ts';
import type { Newcomer, Owner } from './served.ts';

/** 128 bits, in 22 letters. */
const CODE_BYTES = 16;

/** How long a code is good, and how long a browser waits for the owner, in milliseconds. */
const GOOD_MS = 2 * 60_000;

/** How long one question about the result waits, in milliseconds. Proxies cut off after 30 s or more. */
const WAIT_MS = 25_000;

/** Browsers that wait at once. */
const MOST_WAITING = 3;

/** UTF-16 units. */
const LONGEST_NAME = 60;

/** Lets browsers in: by a code that works once, and the owner's Yes. */
export class Pairing {
	private code: { readonly hash: Buffer; readonly madeMs: number } | undefined;
	private readonly waiting = new NewestMap<string, Promise<PairResult>>(MOST_WAITING);
	private readonly ended = new AbortController();

	constructor(
		private readonly devices: Devices,
		private readonly owner: Pick<Owner, 'letIn'>,
		private readonly now: () => number,
	) {}

	/** A new code. The one before is good no more. */
	newCode(): string {
		const code = randomBytes(CODE_BYTES).toString('base64url');
		this.code = { hash: Buffer.from(sha256(code)), madeMs: this.now() };
		return code;
	}

	/** Uses a code up. `undefined`: it is none. */
	begin(code: string, name: string, wanted: Scope): PairReply | undefined {
		const { code: present } = this;
		if (!present || !this.isGood(present.madeMs)) return undefined;
		if (!timingSafeEqual(present.hash, Buffer.from(sha256(code)))) return undefined;
		this.code = undefined;
		const request = randomBytes(CODE_BYTES).toString('base64url');
		const number = String(randomInt(10_000)).padStart(4, '0');
		this.waiting.set(request, this.ask({ name: visibleLine(name, LONGEST_NAME), number, scope: wanted }));
		return { request, number };
	}

	/** What the owner has decided, once: waits for it a while. `undefined`: nobody has asked so. */
	async result(request: string): Promise<PairResult | undefined> {
		const decision = this.waiting.get(request);
		if (!decision) return undefined;
		const result = await Promise.race([decision, sleep(WAIT_MS, { is: 'waiting' } as const, { ref: false })]);
		if (result.is === 'waiting') return result;
		// If two calls wait, one of them gets the token.
		if (this.waiting.get(request) !== decision) return undefined;
		this.waiting.delete(request);
		return result;
	}

	/** Whoever waits stays out. */
	dispose(): void {
		this.ended.abort();
	}

	/** No longer by a clock that was set back. */
	private isGood(madeMs: number): boolean {
		const ageMs = this.now() - madeMs;
		return 0 <= ageMs && ageMs <= GOOD_MS;
	}

	private async ask(newcomer: Newcomer): Promise<PairResult> {
		const over = new AbortController();
		const timer = setTimeout(() => over.abort(), GOOD_MS);
		timer.unref();
		const signal = AbortSignal.any([this.ended.signal, over.signal]);
		// Some owners cannot take their question back: their Yes may come at any time.
		const isOver = new Promise<'over'>(resolve => signal.addEventListener('abort', () => resolve('over')));
		try {
			const allowed = await Promise.race([this.owner.letIn(newcomer, signal), isOver]);
			if (over.signal.aborted) return { is: 'expired' };
			if (allowed === 'over' || allowed === undefined || signal.aborted) return { is: 'refused' };
			const scope = mayDo(allowed, newcomer.scope) ? newcomer.scope : allowed;
			const { device, token } = await this.devices.add(newcomer.name, scope);
			return { is: 'in', token, device: device.id, scope };
		} catch {
			return { is: 'refused' };
		} finally {
			clearTimeout(timer);
		}
	}
}
