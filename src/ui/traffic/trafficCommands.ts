import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { NancyError } from '../../base/errors.ts';
import type { Documents } from '../documents.ts';
import type { Folders } from '../folders.ts';
import { plainLine } from '../kit/plain.ts';
import { openFile } from '../kit/openFile.ts';
import { WorkerItem } from '../tasks/tasksView.ts';
import { askFilter } from './askFilter.ts';
import { eventReport } from './eventReport.ts';
import { NO_FILTER } from './trafficFilter.ts';
import { NodeItem, NoteItem, SessionItem } from './trafficItems.ts';
import type { TrafficView } from './trafficView.ts';
import { eventLabel } from './trafficWords.ts';

export interface TrafficCollaborators {
	folders: Folders;
	documents: Documents;
	traffic: TrafficView;
	agentName: (driver: string) => string;
}

type Args = readonly unknown[];

/** The commands for sessions and their events. */
export function trafficHandlers(own: TrafficCollaborators) {
	return {
		'nancy.copySession': ([item]: Args) => copySession(item),
		'nancy.openTranscript': ([item]: Args) => openTranscript(own, item),
		'nancy.openEvent': ([item]: Args) => openEvent(own, item),
		'nancy.openPayload': ([item]: Args) => (item instanceof NodeItem ? own.documents.openPayload(item) : undefined),
		'nancy.filterTraffic': () => filterTraffic(own),
		'nancy.clearTrafficFilter': () => {
			own.traffic.filter = NO_FILTER;
		},
		'nancy.showAllEvents': () => own.traffic.showAll(true),
		'nancy.showMainEvents': () => own.traffic.showAll(false),
	};
}

interface OpeningEvent {
	documents: Pick<Documents, 'openReport'>;
	agentName: (driver: string) => string;
}

/** @param chosen the row of an event, or of what Nancy noted at it */
export async function openEvent({ documents, agentName }: OpeningEvent, chosen: unknown): Promise<void> {
	const item = chosen instanceof NoteItem ? chosen.parent : chosen;
	if (!(item instanceof NodeItem)) return;
	const { folder, session } = item.turn.session;
	const detail = await folder.eventDetail(session, item.node);
	await documents.openReport(plainLine(eventLabel(item.node), 80), eventReport(item, detail, agentName));
}

async function copySession(item: unknown): Promise<void> {
	const session = sessionOf(item);
	if (session !== undefined) await vscode.env.clipboard.writeText(session);
}

async function openTranscript({ folders }: TrafficCollaborators, item: unknown): Promise<void> {
	const session = sessionOf(item);
	const transcript = folders
		.list()
		.flatMap(folder => folder.overview().tasks)
		.flatMap(task => task.workers)
		.flatMap(worker => worker.record.sessions)
		.find(({ id }) => id === session)?.transcript;
	if (transcript === undefined) throw new NancyError('io', l10n.t('The agent has not said where its transcript is.'));
	await openFile(transcript);
}

async function filterTraffic({ folders, traffic }: TrafficCollaborators): Promise<void> {
	const tasks = folders.list().flatMap(folder => folder.overview().tasks.map(({ record }) => record));
	traffic.filter = await askFilter(traffic.filter, traffic.labels(), tasks);
}

function sessionOf(item: unknown): string | undefined {
	if (item instanceof SessionItem) return item.session;
	return item instanceof WorkerItem
		? (item.worker.state.session ?? item.worker.record.sessions.at(-1)?.id)
		: undefined;
}
