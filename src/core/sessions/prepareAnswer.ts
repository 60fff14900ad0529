import { readFileSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ownMachine } from '../../base/machine.ts';
import { liveness } from '../../base/liveness.ts';
import type { MessageId } from '../../protocol/names.ts';
import type { Receipt, WorkerRecord } from '../../protocol/records.ts';
import type { AgentEvent } from '../../protocol/traffic.ts';
import type { Driver } from '../driver/driver.ts';
import { jsonText } from '../files/jsonFile.ts';
import { Leases } from '../files/leases.ts';
import { textOfOne } from '../mailbox/batch.ts';
import { deliveryNote, deliveryPlace } from '../mailbox/deliveryRecord.ts';
import { isDue, slotOf } from '../mailbox/due.ts';
import { readMessageTextSync } from '../mailbox/messageText.ts';
import { textOfDelivered, textOfHanding } from '../mailbox/seal.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { sealedSession } from './sealedSessions.ts';

/** In UTF-16 units: a shell reads it with everything else that is prepared. */
const LONGEST_TEXT = 4096;

/**
 * Prepares the answer that hands a queued message to its agent, if the agent is at work on this machine and its CLI needs no more than
 * that. The guard then starts no program (hooks/hand-over). It does so only if the message is still the only one, and everything else is as
 * it is now; so this never needs to be taken back. Does nothing if the message is no plain short one.
 * @param index git's index around the workspace, `undefined` outside a checkout. It must not name the workspace's `.nancy`.
 */
export async function prepareAnswer(
	workspace: Workspace,
	driver: Driver,
	worker: WorkerRecord,
	id: MessageId,
	index: string | undefined,
): Promise<void> {
	const { prepared } = driver.hooks;
	const session = worker.sessions.at(-1);
	const agent = worker.process;
	if (prepared === 'none' || !agent || !session?.transcript || !isHere(agent)) return;
	const address = { task: worker.task, worker: worker.name };
	const bound = sealedSession(workspace.own, session.id);
	if (bound?.task !== address.task || bound.worker !== address.worker) return;
	const mailbox = workspace.mailbox(address);
	const message = (await mailbox.list(['queued'])).messages.find(each => each.id === id);
	if (!message || message.content.effect !== 'none' || message.content.text.length > LONGEST_TEXT) return;
	const seals = workspace.seals(address);
	const text = readMessageTextSync(message.file) ?? '';
	const sealed = seals.ofQueued(id, text);
	if (!sealed) return;
	const isDueAt = ({ kind }: Pick<AgentEvent, 'kind'>) =>
		isDue(slotOf(driver.hooks.slots, { kind }), message.content);
	if (!isDueAt(prepared) || isDueAt(prepared.waitsAt)) return;

	const event: AgentEvent = { driver: driver.id, session: session.id, kind: prepared.kind, event: prepared.event };
	const answerWith = (canFile: boolean) => {
		const text = textOfOne(mailbox, message, { canFile, limit: driver.hooks.contextLimit });
		return text === undefined
			? undefined
			: driver.hooks.answer(event, { text, effect: 'none', version: undefined });
	};
	const [plain, toFile] = [answerWith(false), answerWith(true)];
	if (!plain?.rung || !toFile) return;

	const place = deliveryPlace(event, plain.rung);
	// The order of the fields is that of Mailbox.
	const receipt = {
		...place,
		deliveredAt: TIME,
		author: sealed.author,
		version: 1,
		id,
		earlierClaims: 0,
	} satisfies Receipt;
	const [receiptBefore, receiptAfter] = around(TIME, jsonText(receipt));
	const { transcript } = session;
	const [sealBefore, sealAfter] = around(TIME, textOfDelivered({ ...sealed, receipt, transcript }));
	const [handingBefore, handingAfter] = around(HOOK, textOfHanding(sealed, HOOK));
	const note = deliveryNote(place, TIME, address, { messages: [id], effect: 'none' });
	const [noteBefore, noteAfter] = around(TIME, JSON.stringify(note));
	const { begins, holds, lacks } = prepared.payload(session.id, session.transcript);
	const sealFiles = seals.filesOf(id);
	// The guard dates the lease and does not make it.
	await Leases.for(mailbox.folder).renew();
	await workspace.prepared.write(session.id, {
		words: {
			driver: driver.id,
			box: mailbox.folder,
			root: join(realpathSync(workspace.folder), relative(workspace.folder, workspace.paths.root)),
			id,
			event: prepared.event,
			waits_at: prepared.waitsAt.event,
			begins,
			holds,
			lacks,
			machine: agent.machine ?? '',
			agent: `${agent.pid} ${agent.startedTicks}`,
			index: index ?? '',
			...uptimeOfDay(Date.now(), readFileSync('/proc/uptime', 'ascii')),
			seal: sealFiles.queued,
			filed: sealFiles.filed,
			answer: plain.stdout.trimEnd(),
			answer_to_file: toFile.stdout.trimEnd(),
			handing: handingBefore,
			handing_end: handingAfter,
			sealed: sealBefore,
			sealed_end: sealAfter,
			receipt: receiptBefore,
			receipt_end: receiptAfter,
			note: noteBefore,
			note_end: noteAfter,
		},
		text,
		seal: sealFiles.queued,
	});
}

/**
 * For a clock of the guard, which needs a program to read the system's. Wrong if somebody sets the clock before the message is handed over.
 * @param uptime the text of proc_uptime(5)
 * @returns the day (UTC), and the uptime at its beginning in hundredths of a second, negative before the machine's start
 */
export function uptimeOfDay(now: number, uptime: string): { day: string; midnight: string } {
	const hundredths = Math.round(Number.parseFloat(uptime) * 100);
	return {
		day: new Date(now).toISOString().slice(0, 10),
		midnight: `${hundredths - Math.floor((now % DAY_MS) / 10)}`,
	};
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Stands where the guard writes the time. */
const TIME = new Date(0).toISOString();

/** Stands where the guard writes which process it is. */
const HOOK = '0-0';

/** The text of a record before and after what the guard writes into it. The guard ends each record with a line break of its own. */
function around(part: string, json: string): [before: string, after: string] {
	const at = json.indexOf(part);
	return [json.slice(0, at), json.slice(at + part.length).trimEnd()];
}

/** Only of such a process can a shell tell whether it is still the same. */
function isHere(process: NonNullable<WorkerRecord['process']>): boolean {
	return (
		process.machine !== undefined &&
		process.machine === ownMachine() &&
		process.startedTicks > 0 &&
		liveness(process) === 'alive'
	);
}
