import * as z from 'zod/mini';
import { DriverId, TaskName } from '../names.ts';
import { Said } from '../said.ts';

/** An agent that was not served in full, and the reason. */
const FailedAgent = z.object({ agent: DriverId, code: z.string(), message: Said });

const DeployedAgent = z.object({
	agent: DriverId,
	agentVersion: z.string(),
	hookVersion: z.string(),
	/** Files and folders written, relative to the folder; empty if all were up to date. */
	changed: z.array(z.string()),
	warnings: z.array(z.string()),
	/**
	 * The person's settings that can run commands, and that agents may start this CLI with from now on: those that are new, changed or missing.
	 * Absent if there are none.
	 */
	seen: z.optional(z.array(z.string())),
});
export type DeployedAgent = z.infer<typeof DeployedAgent>;

/** `nancy setup`, `nancy update` */
export const SetupOutput = z.object({
	folder: z.string(),
	agents: z.array(DeployedAgent),
	/** For these agents nothing, or not everything, was written. */
	failed: z.array(FailedAgent),
});
export type SetupOutput = z.infer<typeof SetupOutput>;

/** `nancy cleanup` */
export const CleanupOutput = z.object({
	folder: z.string(),
	task: z.optional(TaskName),
	/** False when hooks and skills stay because another task needs them. */
	undeployed: z.boolean(),
	/** Files restored and skills removed, relative to the folder. */
	changed: z.array(z.string()),
	warnings: z.array(z.string()),
	/** Places that a link leads away from. They stay, and so does their record. */
	kept: z.array(z.string()),
	/** The deployments for these agents stay, and so do their records. */
	failed: z.array(FailedAgent),
});
export type CleanupOutput = z.infer<typeof CleanupOutput>;

/** `nancy doctor` */
export const DoctorOutput = z.object({
	folder: z.string(),
	healthy: z.boolean(),
	checks: z.array(
		z.object({
			check: z.string(),
			level: z.enum(['ok', 'note', 'problem']),
			text: Said,
			/** What `--fix` does about it. */
			repair: z.optional(Said),
			repaired: z.boolean(),
		}),
	),
	/** The repairs that `--fix` tried in vain, and why. Each is among the checks with its present state. */
	failed: z.array(z.object({ check: z.string(), text: Said, reason: Said })),
});
export type DoctorOutput = z.infer<typeof DoctorOutput>;
