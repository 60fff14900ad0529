import type { DriverId, TaskName } from '../../src/protocol/names.ts';
import type { TaskRecord } from '../../src/protocol/records.ts';

/** A task as it is when Nancy has just made it. */
export function taskRecord(name: TaskName, agent: DriverId, more: Partial<TaskRecord> = {}): TaskRecord {
	const createdAt = new Date().toISOString();
	return { version: 1, name, title: name, prompt: '', agent, createdAt, origin: 'nancy', ...more };
}
