import * as z from 'zod/mini';
import { errorText } from '../../base/errors.ts';
import { SessionId } from '../../protocol/names.ts';
import {
	DeliveryNote,
	LONGEST_STATUS,
	StatusNote,
	TroubleNote,
	type AgentEvent,
	type TrafficRecord,
} from '../../protocol/traffic.ts';
import type { Driver } from '../driver/driver.ts';
import { driverIn } from '../driver/driverIn.ts';
import type { WorkerAddress } from '../workspace/workspace.ts';
import { storablePayload, storableText } from './cutPayload.ts';
import { parseSpoolFileName } from './spoolName.ts';

/** The session of a trouble whose hook did not know its own. */
export const NO_SESSION = SessionId.parse('no-session');

/** Most characters of a driver's text fields from a payload, other than names and paths. */
const EVENT_LIMIT = 8192;

/** The kind of one spool file. */
export type Spooled =
	| { is: 'record'; session: SessionId; record: (stamp: Stamp) => TrafficRecord }
	/** Whole, but nothing for Nancy to keep. */
	| { is: 'silent' }
	/** Not whole yet, or never to be. */
	| { is: 'unfinished'; reason: string }
	/** Whole, but different from its name. */
	| { is: 'wrong'; reason: string }
	/** Not a file of Nancy's. */
	| { is: 'foreign' };

/** What the collector knows of a record beside its content. */
export interface Stamp {
	id: string;
	at: string;
	/** The mailbox that the session is bound to. */
	address: WorkerAddress | undefined;
}

const AnyNote = z.looseObject({ nancy: z.string() });

/** Reads one file of the spool. Never throws: every content gets a verdict. */
export function readSpooled(name: string, text: string, drivers: readonly Driver[]): Spooled {
	const said = parseSpoolFileName(name);
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch (error) {
		return said ? { is: 'unfinished', reason: storableText(errorText(error), 200) } : { is: 'foreign' };
	}
	if (AnyNote.safeParse(value).success) {
		const note = readNote(value);
		if (note) return note;
	}
	if (!said) return { is: 'foreign' };
	const driver = driverIn(drivers, said.driver);
	if (!driver) return { is: 'wrong', reason: `there is no driver "${said.driver}"` };
	let event: AgentEvent | 'silent';
	try {
		event = driver.hooks.read({ event: said.event, payload: value, env: {} });
	} catch (error) {
		return { is: 'wrong', reason: `not a ${said.event} event: ${storableText(errorText(error), 300)}` };
	}
	if (event === 'silent') return { is: 'silent' };
	const kept = storableEvent(event);
	const payload = storablePayload(value);
	return {
		is: 'record',
		session: event.session,
		record: stamp => ({ ...common(stamp), type: 'event', event: kept, payload }),
	};
}

function readNote(value: unknown): Spooled | undefined {
	const delivery = DeliveryNote.safeParse(value);
	if (delivery.success) {
		const { session, task, worker } = delivery.data;
		return {
			is: 'record',
			session,
			// The note itself names the mailbox.
			record: stamp => ({
				...common({ ...stamp, address: { task, worker } }),
				type: 'delivery',
				delivery: delivery.data,
			}),
		};
	}
	const status = StatusNote.safeParse(value);
	if (status.success) {
		const said = { ...status.data, text: storableText(status.data.text, LONGEST_STATUS) };
		return {
			is: 'record',
			session: said.session,
			record: stamp => ({ ...common(stamp), type: 'status', status: said }),
		};
	}
	const trouble = TroubleNote.safeParse(value);
	if (!trouble.success) return undefined;
	const kept = { ...trouble.data, reason: storableText(trouble.data.reason, 2000) };
	return {
		is: 'record',
		session: kept.session ?? NO_SESSION,
		record: stamp => ({ ...common(stamp), type: 'trouble', trouble: kept }),
	};
}

function common({ id, at, address }: Stamp) {
	return { version: 1 as const, id, at, ...(address && { task: address.task, worker: address.worker }) };
}

/** Names and paths must stay unchanged. Everything else in an event is text that may hold a secret. */
function storableEvent(event: AgentEvent): AgentEvent {
	const { driver, session, kind, subagent, turn, tool, toolUseId, cwd, transcript, ...rest } = event;
	const safe = storablePayload(rest, EVENT_LIMIT);
	return {
		...(typeof safe === 'object' ? safe : {}),
		driver,
		session,
		kind,
		event: event.event,
		...(subagent !== undefined && { subagent }),
		...(turn !== undefined && { turn }),
		...(tool !== undefined && { tool }),
		...(toolUseId !== undefined && { toolUseId }),
		...(cwd !== undefined && { cwd }),
		...(transcript !== undefined && { transcript }),
	};
}
