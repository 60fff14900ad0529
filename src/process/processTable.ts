import { readdirSync, readFileSync } from 'node:fs';
import { ps } from './ps.ts';

/** A running process, with its parent and group. */
export interface ProcessEntry {
	pid: number;
	parent: number;
	group: number;
}

/** All processes of this machine, by pid. Linux asks /proc, others `ps`. */
export async function processTable(): Promise<ReadonlyMap<number, ProcessEntry>> {
	return new Map((process.platform === 'linux' ? fromProc() : await fromPs()).map(entry => [entry.pid, entry]));
}

/** Every process below `root`, nearest first, without `root` itself. */
export function descendantsOf(root: number, table: ReadonlyMap<number, ProcessEntry>): number[] {
	const found = [root];
	for (let next = 0; next < found.length; next++) {
		const parent = found[next];
		for (const entry of table.values()) {
			if (entry.parent === parent && !found.includes(entry.pid)) found.push(entry.pid);
		}
	}
	return found.slice(1);
}

function fromProc(): ProcessEntry[] {
	return readdirSync('/proc').flatMap(name => {
		const pid = Number(name);
		if (!Number.isInteger(pid)) return [];
		try {
			const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
			// The command name may hold spaces and parentheses: fields count from the last ")".
			const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
			return [{ pid, parent: Number(fields[1]), group: Number(fields[2]) }];
		} catch {
			return []; // ended while we looked
		}
	});
}

async function fromPs(): Promise<ProcessEntry[]> {
	return (await ps('-axo', 'pid=,ppid=,pgid=')).split('\n').flatMap(line => {
		const [pid, parent, group] = line.trim().split(/\s+/).map(Number);
		return pid !== undefined && parent !== undefined && group !== undefined ? [{ pid, parent, group }] : [];
	});
}
