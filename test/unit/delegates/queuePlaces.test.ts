import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Delegates } from '../../../src/core/delegates/delegates.ts';
import { lookAtQueue, type QueueOptions } from '../../../src/delegates/delegateQueue.ts';
import { ExecutorId } from '../../../src/protocol/executorId.ts';
import { DelegateRoom } from '../../support/delegateRoom.ts';

const on = ExecutorId.parse('ssh:lab');
const full = { cap: 1, places: { [on]: 0 } };

let room: DelegateRoom;
beforeEach(() => {
	room = new DelegateRoom();
});
afterEach(() => room.folder.remove());

const look = (capacity: Pick<QueueOptions, 'cap' | 'places'>, delegates = room.delegates) =>
	lookAtQueue(delegates, { tickets: room.tickets, nancy: '/nowhere/nancy', ...capacity });

it('a delegate waits for no place there any more after the user has removed the last limit', async () => {
	const { id } = (await room.queue({ on })).record;
	await look(full);
	expect((await room.delegates.get(id)).status.waits_for).toBe(on);
	await look({ cap: 0 });
	expect((await room.delegates.get(id)).status).not.toHaveProperty('waits_for');
});

it.each([
	['a folder', (file: string) => mkdirSync(file)],
	['a link', (file: string) => symlinkSync('/dev/zero', file)],
])('a delegate on another machine is found where %s has taken the name of its record', async (_, put) => {
	const { id } = (await room.queue({ on })).record;
	const [record = '', prompt = ''] = room.delegates.filesOfRequest(id);
	const contents = [record, prompt].map(file => readFileSync(file, 'utf8'));
	await room.tickets.keep(id, contents);
	rmSync(record);
	put(record);
	await look(full);
	expect(readFileSync(record, 'utf8')).toBe(contents[0]);
	expect(readdirSync(room.delegates.folder).filter(name => name.includes('.aside-'))).toHaveLength(1);
});

it('what keeps a delegate from its end is said, and not what keeps another from saying that it waits', async () => {
	const dead = await room.queue();
	const runner = { pid: 999_999_999, startedTicks: 1 };
	await room.delegates.writeStatus(dead.record.id, { ...dead.status, status: 'running', runner });
	await room.tickets.begin(dead.record.id, runner);
	await room.queue({ on });
	class Full extends Delegates {
		private isListing = false;
		override async list() {
			this.isListing = true;
			const listing = await super.list();
			this.isListing = false;
			return listing;
		}
		override async find(...args: Parameters<Delegates['find']>) {
			if (!this.isListing && args[0] === dead.record.id) throw new Error('the end');
			return super.find(...args);
		}
		override writeStatus(): Promise<void> {
			return Promise.reject(new Error('the wait'));
		}
	}
	await expect(look(full, new Full(room.workspace))).rejects.toThrow('the end');
});
