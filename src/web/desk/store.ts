import { batch, computed, signal } from '@preact/signals';
import type { ToPage } from '../../protocol/deskApi.ts';
import type { DeskPatch, DeskQuestion, DeskState } from '../../protocol/deskState.ts';

const EMPTY: DeskState = { folders: [], questions: [], tasks: [], messages: [], delegates: [] };

/** What the server has said, or nothing before its first word. */
export const state = signal<DeskState | undefined>(undefined);
/** The time, for ages. */
export const now = signal(Date.now());

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);

/** Oldest first. */
export const questions = computed(() => (state.value?.questions ?? []).toSorted(byId));
export const openQuestions = computed(() => questions.value.filter(({ isOpen }) => isOpen));
export const tasks = computed(() =>
	(state.value?.tasks ?? []).toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1)),
);
/** Newest first. */
export const delegates = computed(() => (state.value?.delegates ?? []).toSorted(byId).toReversed());
export const messages = computed(() => (state.value?.messages ?? []).toSorted(byId));
export const inbox = computed(() => messages.value.filter(({ isToPerson }) => isToPerson).toReversed());

/** All that agents wrote to the person and nobody has read. The inbox holds the newest of it. */
export const unread = computed(() => tasks.value.reduce((sum, task) => sum + task.unread, 0));

/** A word for screen readers: what has newly been asked. */
export const announced = signal<readonly DeskQuestion[]>([]);

export function receive(message: ToPage): void {
	if (message.type === 'state') put(message.state);
	else if (message.type === 'patch') put(patched(state.value ?? EMPTY, message.patch));
}

function put(next: DeskState): void {
	const known = new Set(state.value?.questions.map(({ key }) => key));
	const isFirst = state.value === undefined;
	batch(() => {
		state.value = next;
		now.value = Date.now();
		const added = next.questions.filter(({ key, isOpen }) => isOpen && !known.has(key));
		if (!isFirst && added.length > 0) announced.value = added;
	});
}

/** The state after a patch. Sections and items that it does not name stay the same objects. */
export function patched(before: DeskState, patch: DeskPatch): DeskState {
	return {
		folders: changed(before.folders, patch.folders),
		questions: changed(before.questions, patch.questions),
		tasks: changed(before.tasks, patch.tasks),
		messages: changed(before.messages, patch.messages),
		delegates: changed(before.delegates, patch.delegates),
	};
}

function changed<T extends { key: string }>(before: T[], change: { put: T[]; gone: string[] } | undefined): T[] {
	if (!change) return before;
	const replaced = new Set([...change.gone, ...change.put.map(({ key }) => key)]);
	return [...before.filter(({ key }) => !replaced.has(key)), ...change.put];
}
