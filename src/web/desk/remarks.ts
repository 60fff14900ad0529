import { signal } from '@preact/signals';
import type { RemarksRequest } from '../../protocol/deskRooms.ts';
import { isOf } from './isOf.ts';
import { parsed } from './post.ts';
import { keptRemarks } from './roomShapes.ts';

/** A comment of the person's own on a line of a delegate's changes. */
export type Remark = RemarksRequest['remarks'][number];

const KEY = 'nancy.remarks';

/** Comments that were not sent yet, by the key of their delegate. The tab keeps them: a phone forgets pages that are not looked at. */
const all = signal<Readonly<Record<string, readonly Remark[]>>>(kept());

export function remarksOn(delegate: string): readonly Remark[] {
	return all.value[delegate] ?? [];
}

export function setRemarks(delegate: string, remarks: readonly Remark[]): void {
	all.value = { ...all.value, [delegate]: remarks };
	sessionStorage.setItem(KEY, JSON.stringify(all.value));
}

function kept(): Record<string, readonly Remark[]> {
	const value = parsed(sessionStorage.getItem(KEY) ?? '');
	return isOf(keptRemarks, value) ? value : {};
}
