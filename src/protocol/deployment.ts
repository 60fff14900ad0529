import * as z from 'zod/mini';
import { DriverId } from './names.ts';
import { Moment } from './records.ts';

/** A path below the workspace folder, with `/`: nothing outside may be reached by it. */
const WorkspacePath = z.lazy(() => z.string().check(z.regex(/^(?!.*(?:^|\/)\.{0,2}(?:\/|$))[^\\\p{Cc}]+$/u)));
const Sha256 = z.lazy(() => z.string().check(z.regex(/^[0-9a-f]{64}$/)));

/** One file of another tool that Nancy changed, with what is needed to give it back byte for byte. */
export const DeployedFile = z.lazy(() =>
	z.looseObject({
		/** Relative to the workspace folder, with `/`. */
		file: WorkspacePath,
		existedBefore: z.boolean(),
		/** SHA-256 of the file right after Nancy's edit: unchanged since means nobody else wrote it. */
		sha256: Sha256,
		/** The same of earlier edits of this original: a kill during an update leaves the file as one of them. */
		earlier: z.optional(z.array(Sha256)),
		/** SHA-256 of the original, which is kept beside the record; absent when there was none. */
		original: z.optional(Sha256),
	}),
);
export type DeployedFile = z.infer<typeof DeployedFile>;

/** One entry of Nancy's in an array of another tool's settings file. */
export const DeployedEntry = z.object({ path: z.array(z.string()), value: z.unknown() });
export type DeployedEntry = z.infer<typeof DeployedEntry>;

/** What Nancy made, with the SHA-256 of what it put there. During an update it is listed twice: as it was and as it will be. */
const Made = z.lazy(() => z.object({ file: WorkspacePath, sha256: Sha256 }));

/** What one driver has in a workspace. */
export const Deployment = z.lazy(() =>
	z.looseObject({
		driver: DriverId,
		/** For whom it was deployed; a start never takes away what Set Up did. */
		scope: z.enum(['launch', 'workspace']),
		/** Version of the hook program that was deployed (`NANCY_HOOK_VERSION`). */
		hookVersion: z.string(),
		agentVersion: z.optional(z.string()),
		events: z.array(z.string()),
		deployedAt: Moment,
		/** Other tools' files, with this driver's entries in each; `before` are lines of an update that a kill may have left there. */
		files: z.array(
			z.object({ file: WorkspacePath, entries: z.array(DeployedEntry), before: z.optional(z.array(z.string())) }),
		),
		/** Whole files of Nancy's own in the agent's places. */
		ownFiles: z.array(Made),
		/** Whole files of Nancy's own, relative to the driver's launch folder. */
		launchFiles: z.array(Made),
		/**
		 * Skill folders that Nancy made, relative to the workspace folder, with the SHA-256 of what it put there. During an update
		 * a folder is here twice, with what it was and what it will be. One that several drivers read is in each one's record.
		 */
		skills: z.array(z.object({ folder: WorkspacePath, sha256: Sha256 })),
		/** Folders that did not exist before, innermost first, removed again when empty. */
		folders: z.array(WorkspacePath),
	}),
);
export type Deployment = z.infer<typeof Deployment>;

/** All that Nancy has deployed into one workspace: `deployment/record.json` among the user's own records of it. */
export const SealedDeployments = z.lazy(() =>
	z.looseObject({
		version: z.literal(1),
		/** The workspace folder, for a person who reads this. */
		folder: z.string(),
		files: z.array(DeployedFile),
		deployments: z.array(Deployment),
	}),
);
export type SealedDeployments = z.infer<typeof SealedDeployments>;
