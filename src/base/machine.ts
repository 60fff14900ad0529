import { readFileSync, readlinkSync } from 'node:fs';
import { fnvOf } from './fnv.ts';

/**
 * The scope of a pid: `<host>.<boot>.<pid namespace>`, each of 0-9 and a-z. Two windows on one folder may be on two hosts, or one in a
 * container. Each then has a process 4711 of its own.
 */
export type MachineId = string;

let own: { machine: MachineId | undefined } | undefined;

/** `undefined` if nothing identifies the machine. Every process then counts as one of this machine. */
export function ownMachine(): MachineId | undefined {
	return (own ??= { machine: process.platform === 'darwin' ? onMac() : onLinux() }).machine;
}

/** Whether a record's process is of this machine, of an earlier boot of this host, or of another machine. */
export function whereIs(machine: MachineId | undefined): 'here' | 'earlier boot' | 'elsewhere' {
	const here = ownMachine();
	// Records of earlier versions name no machine.
	if (here === undefined || machine === undefined || machine === here) return 'here';
	const [host, boot, pids] = here.split('.');
	const [otherHost, otherBoot, otherPids] = machine.split('.');
	// The name of a host may change while it runs.
	if (boot === otherBoot && pids === otherPids) return 'here';
	return host === otherHost && host !== UNKNOWN_HOST && boot !== otherBoot ? 'earlier boot' : 'elsewhere';
}

/** Containers have no machine-id of their own, or share one. So an earlier boot cannot be matched to this host. */
const UNKNOWN_HOST = '0';

/** See proc_sys_kernel(5) for the boot id, machine-id(5), and pid_namespaces(7): the link names the namespace of its reader. */
function onLinux(): MachineId | undefined {
	const boot = textOf('/proc/sys/kernel/random/boot_id')?.replaceAll('-', '').slice(0, 8);
	const namespace = linkOf('/proc/self/ns/pid');
	if (!boot || namespace === undefined) return undefined;
	const machine = textOf('/etc/machine-id') ?? '';
	// Copies of one disk share the machine-id, but have different host names.
	const host = /^[0-9a-f]{32}$/.test(machine)
		? hashOf(machine + (textOf('/proc/sys/kernel/hostname') ?? ''))
		: UNKNOWN_HOST;
	return `${host}.${boot}.${Number(/\d+/.exec(namespace)?.[0] ?? 0).toString(36)}`;
}

/** macOS has no pid namespaces. Not measured on a Mac yet. If this fails, processes have no machine. */
function onMac(): MachineId | undefined {
	try {
		const { execFileSync } = process.getBuiltinModule('node:child_process');
		// Not `kern.boottime`, which the system computes anew when its clock is set.
		const script = 'sysctl -n kern.bootsessionuuid; ioreg -rd1 -c IOPlatformExpertDevice';
		const said = execFileSync('/bin/sh', ['-c', script], {
			encoding: 'utf8',
			env: { PATH: '/usr/sbin:/usr/bin:/bin' },
		});
		const boot = /^([0-9A-F]{8})-/im.exec(said)?.[1]?.toLowerCase();
		const uuid = /"IOPlatformUUID" = "([^"]+)"/.exec(said)?.[1];
		return boot && uuid ? `${hashOf(uuid)}.${boot}.0` : undefined;
	} catch {
		return undefined;
	}
}

function textOf(file: string): string | undefined {
	try {
		return readFileSync(file, 'utf8').trim();
	} catch {
		return undefined;
	}
}

function linkOf(file: string): string | undefined {
	try {
		return readlinkSync(file);
	} catch {
		return undefined;
	}
}

function hashOf(text: string): string {
	return fnvOf(text).toString(36);
}
