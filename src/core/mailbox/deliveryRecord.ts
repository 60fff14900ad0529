import type { Effect } from '../../protocol/message.ts';
import type { MessageId, TaskName, WorkerName } from '../../protocol/names.ts';
import type { Rung } from '../../protocol/records.ts';
import type { AgentEvent, DeliveryNote } from '../../protocol/traffic.ts';

/** The event at which something is handed over, for its receipt and for the traffic. */
export function deliveryPlace(
	{ driver, session, event, tool, toolUseId }: AgentEvent,
	rung: Rung,
): Pick<DeliveryNote, 'driver' | 'session' | 'event' | 'tool' | 'toolUseId' | 'rung'> {
	return {
		driver,
		session,
		event,
		...(tool !== undefined && { tool }),
		...(toolUseId !== undefined && { toolUseId }),
		rung,
	};
}

/** What the traffic keeps of a delivery. */
export function deliveryNote(
	place: ReturnType<typeof deliveryPlace>,
	at: string,
	{ task, worker }: { task: TaskName; worker: WorkerName },
	{ messages, effect }: { messages: MessageId[]; effect: Effect },
): DeliveryNote {
	return { ...place, nancy: 'delivery', at, task, worker, messages, effect };
}
