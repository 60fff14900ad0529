import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { descendantsOf, processTable } from '../../src/process/processTable.ts';

/** In /proc/net/tcp. */
const LISTENS = '0A';

/** The addresses at which a server and everything that it has started listen, in the form of /proc/net/tcp. */
export async function portsOf({ pid }: { pid: number }): Promise<string[]> {
	const sockets = new Set([pid, ...descendantsOf(pid, await processTable())].flatMap(socketsOf));
	const rows = ['tcp', 'tcp6'].flatMap(name => readFileSync(`/proc/net/${name}`, 'utf8').trim().split('\n').slice(1));
	return rows
		.map(row => row.trim().split(/\s+/))
		.flatMap(([, address = '', , state, , , , , , inode = '']) =>
			state === LISTENS && sockets.has(`socket:[${inode}]`) ? [address] : [],
		)
		.toSorted();
}

function socketsOf(pid: number): string[] {
	const folder = `/proc/${pid}/fd`;
	try {
		return readdirSync(folder).map(name => readlinkSync(`${folder}/${name}`));
	} catch {
		return []; // ended while we looked
	}
}
