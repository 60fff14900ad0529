import { readFileSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ownMachine } from '../../base/machine.ts';
import { liveness } from '../../base/liveness.ts';
import type { MessageContent } from '../../protocol/message.ts';
import type { MessageId } from '../../protocol/names.ts';
import type { Receipt, WorkerRecord } from '../../protocol/records.ts';
import type { AgentEvent } from '../../protocol/traffic.ts';
import type { Driver } from '../driver/driver.ts';
import type { HookMapping, PreparedEvent } from '../driver/hooks.ts';
import { jsonText } from '../files/jsonFile.ts';
import { Leases } from '../files/leases.ts';
import { textOfOne } from '../mailbox/batch.ts';
import { deliveryNote, deliveryPlace } from '../mailbox/deliveryRecord.ts';
import { isDue, slotOf } from '../mailbox/due.ts';
import type { Mailbox } from '../mailbox/mailbox.ts';
import type { StoredMessage } from '../mailbox/mailboxFiles.ts';
import { readMessageTextSync } from '../mailbox/messageText.ts';
import { textOfDelivered, textOfHanding, type Sealed } from '../mailbox/seal.ts';
import type { WorkerAddress, Workspace } from '../workspace/workspace.ts';
import { sealedSession } from '../workspace/sealedSessions.ts';

/** In UTF-16 units: a shell reads it with everything else that is prepared. */
const LONGEST_TEXT = 4096;

/**
 * Prepares the answer that hands a queued message to its agent. The guard then starts no program (hooks/hand-over). It does so only if the
 * message is still the only one and everything else is as it is now. So this never needs to be taken back. Does nothing for a message that
 * is not plain and short, or an agent that is not at work on this machine. Does nothing for a CLI that needs more, either.
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
	const reader = readerAtWork(workspace, worker);
	if (prepared === 'none' || !reader) return;
	const address = { task: worker.task, worker: worker.name };
	const mailbox = workspace.mailbox(address);
	const message = (await mailbox.list(['queued'])).messages.find(each => each.id === id);
	if (!message || !isPlain(message.content) || !isDueThere(driver.hooks.slots, prepared, message.content)) return;
	const seals = workspace.seals(address);
	const text = readMessageTextSync(message.file) ?? '';
	const sealed = seals.ofQueued(id, text);
	const { session, transcript, agent } = reader;
	const event: AgentEvent = { driver: driver.id, session, kind: prepared.kind, event: prepared.event };
	const answers = answersWith(driver, event, mailbox, message);
	if (!sealed || !answers) return;
	const sealFiles = seals.filesOf(id);
	// The guard dates the lease and does not make it.
	await Leases.for(mailbox.folder).renew();
	await workspace.prepared.write(session, {
		words: {
			driver: driver.id,
			box: mailbox.folder,
			root: join(realpathSync(workspace.folder), relative(workspace.folder, workspace.paths.root)),
			id,
			event: prepared.event,
			waits_at: prepared.waitsAt.event,
			...prepared.payload(session, transcript),
			machine: agent.machine ?? '',
			agent: `${agent.pid} ${agent.startedTicks}`,
			index: index ?? '',
			...uptimeOfDay(Date.now(), readFileSync('/proc/uptime', 'ascii')),
			seal: sealFiles.queued,
			filed: sealFiles.filed,
			answer: answers.plain.stdout.trimEnd(),
			answer_to_file: answers.toFile.stdout.trimEnd(),
			...recordsOf(id, address, deliveryPlace(event, answers.rung), sealed, transcript),
		},
		text,
		seal: sealFiles.queued,
	});
}

/** The worker's newest session and its process, if that runs on this machine and the session is sealed as this worker's. */
function readerAtWork(workspace: Workspace, { task, name, sessions, process: agent }: WorkerRecord) {
	const newest = sessions.at(-1);
	if (!agent || !newest?.transcript || !isHere(agent)) return undefined;
	const bound = sealedSession(workspace.own, newest.id);
	if (bound?.task !== task || bound.worker !== name) return undefined;
	return { session: newest.id, transcript: newest.transcript, agent };
}

function isPlain({ effect, text }: MessageContent): boolean {
	return effect === 'none' && text.length <= LONGEST_TEXT;
}

/** Whether the message is due at the prepared event, and not at the other event of that slot. */
function isDueThere(slots: HookMapping['slots'], prepared: PreparedEvent, content: MessageContent): boolean {
	const isDueAt = ({ kind }: Pick<AgentEvent, 'kind'>) => isDue(slotOf(slots, { kind }), content);
	return isDueAt(prepared) && !isDueAt(prepared.waitsAt);
}

/** The answers for an agent that cannot file messages by itself, and for one that can. Undefined if one does not fit. */
function answersWith(driver: Driver, event: AgentEvent, mailbox: Mailbox, message: StoredMessage) {
	const answerIf = (canFile: boolean) => {
		const text = textOfOne(mailbox, message, { canFile, limit: driver.hooks.contextLimit });
		return text === undefined
			? undefined
			: driver.hooks.answer(event, { text, effect: 'none', version: undefined });
	};
	const [plain, toFile] = [answerIf(false), answerIf(true)];
	return plain?.rung && toFile && { plain, toFile, rung: plain.rung };
}

/** The seals, the receipt and the note of the delivery, each in two parts. */
function recordsOf(
	id: MessageId,
	address: WorkerAddress,
	place: ReturnType<typeof deliveryPlace>,
	sealed: Sealed,
	transcript: string,
) {
	// The order of the fields is that of Mailbox.
	const receipt = {
		...place,
		deliveredAt: TIME,
		author: sealed.author,
		version: 1,
		id,
		earlierClaims: 0,
	} satisfies Receipt;
	const note = deliveryNote(place, TIME, address, { messages: [id], effect: 'none' });
	return {
		...around('handing', HOOK, textOfHanding(sealed, HOOK)),
		...around('sealed', TIME, textOfDelivered({ ...sealed, receipt, transcript })),
		...around('receipt', TIME, jsonText(receipt)),
		...around('note', TIME, JSON.stringify(note)),
	};
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

/**
 * The text of a record before (`name`) and after (`name_end`) what the guard writes into it. The guard ends each record with a line break of
 * its own.
 */
function around(name: string, part: string, json: string): Record<string, string> {
	const at = json.indexOf(part);
	return { [name]: json.slice(0, at), [`${name}_end`]: json.slice(at + part.length).trimEnd() };
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
