import * as z from 'zod/mini';
import { DriverId, TaskName } from '../names.ts';

/** An agent for which not all could be done, and why. */
const FailedAgent = z.object({ agent: DriverId, code: z.string(), message: z.string() });

/** `nancy setup`, `nancy update` */
export const SetupOutput = z.object({
	folder: z.string(),
	agents: z.array(
		z.object({
			agent: DriverId,
			agentVersion: z.string(),
			hookVersion: z.string(),
			/** Files and folders written, relative to the folder; empty when all was as it should be. */
			changed: z.array(z.string()),
			warnings: z.array(z.string()),
		}),
	),
	/** Nothing, or not all, was written for these. */
	failed: z.array(FailedAgent),
});

/** `nancy cleanup` */
export const CleanupOutput = z.object({
	folder: z.string(),
	task: z.optional(TaskName),
	/** Files given back and skills removed, relative to the folder. */
	changed: z.array(z.string()),
	warnings: z.array(z.string()),
	/** Places that a link leads away from: they stay, and the record of them too. */
	kept: z.array(z.string()),
	/** What was deployed for these stays, and the record of it. */
	failed: z.array(FailedAgent),
});

/** `nancy doctor` */
export const DoctorOutput = z.object({
	folder: z.string(),
	healthy: z.boolean(),
	checks: z.array(
		z.object({
			check: z.string(),
			level: z.enum(['ok', 'note', 'problem']),
			text: z.string(),
			/** What `--fix` does about it. */
			repair: z.optional(z.string()),
			repaired: z.boolean(),
		}),
	),
});
