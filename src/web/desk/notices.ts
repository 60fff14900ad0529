import { signal } from '@preact/signals';
import { phrase } from '../../base/phrase.ts';
import type { DeskQuestion } from '../../protocol/deskState.ts';
import { headingOf } from './domainWords.ts';
import { openQuestions } from './store.ts';
import { age } from './times.ts';
import { say } from './words.ts';

// A browser's notifications. On phones only a service worker can show one.

const KEY = 'nancy.notices';

/** There is one notification for all questions. */
const TAG = 'nancy-questions';

/** Whether the person wants to be told of questions while the page is out of sight. For this tab, as the pass is. */
export const isNotifying = signal(sessionStorage.getItem(KEY) === 'on');

/** Not on an address without TLS, other than this machine's own. */
export function canNotify(): boolean {
	return 'Notification' in window && 'serviceWorker' in navigator;
}

/** Asks the person by the browser's own dialog. `false`: the browser does not allow it. */
export async function turnNoticesOn(): Promise<boolean> {
	if ((await Notification.requestPermission()) !== 'granted') return false;
	await navigator.serviceWorker.register(workerAddress());
	sessionStorage.setItem(KEY, 'on');
	isNotifying.value = true;
	return true;
}

export function turnNoticesOff(): void {
	sessionStorage.removeItem(KEY);
	isNotifying.value = false;
	void takeBack();
}

/** Says that something is asked. What is asked for is seen on the page alone: a locked phone shows notifications to anybody. */
export async function notify(asked: readonly DeskQuestion[]): Promise<void> {
	const [first] = asked;
	if (!isNotifying.value || !first || document.visibilityState === 'visible') return;
	const open = openQuestions.value;
	const oldest = open[0] ?? first;
	const title =
		open.length > 1 ? say(phrase`${open.length} questions, the oldest ${age(oldest.askedAt)}`) : headingOf(first);
	const worker = await navigator.serviceWorker.ready;
	const shown = worker.showNotification(title, { tag: TAG, icon: 'icon.png', body: oldest.agentName });
	// The person may have taken the browser's permission back.
	await shown.catch(turnNoticesOff);
}

/** The page is in sight: what it says is seen there. */
export async function takeBack(): Promise<void> {
	if (!canNotify()) return;
	const worker = await navigator.serviceWorker.getRegistration();
	for (const each of (await worker?.getNotifications({ tag: TAG })) ?? []) each.close();
}

/** Only some browsers have it. A policy makes no string, but a value that goes wherever the address of a program goes. */
declare const trustedTypes:
	| { createPolicy(name: string, rules: { createScriptURL(): string }): { createScriptURL(address: string): string } }
	| undefined;

let trusted: string | undefined;

/** The browser takes the address of a program from this page's own policy alone: see the server's headers. */
function workerAddress(): string {
	const address = 'sw.js';
	const policies = typeof trustedTypes === 'undefined' ? undefined : trustedTypes;
	trusted ??= policies?.createPolicy('nancy', { createScriptURL: () => address }).createScriptURL(address) ?? address;
	return trusted;
}
