import * as z from 'zod/mini';
import { DriverId } from './names.ts';
import { Moment } from './records.ts';

/** A path below the workspace folder, with `/`. Nothing outside may be reached by it. */
const WorkspacePath = z.lazy(() => z.string().check(z.regex(/^(?!.*(?:^|\/)\.{0,2}(?:\/|$))[^\\\p{Cc}]+$/u)));
const Sha256 = z.lazy(() => z.string().check(z.regex(/^[0-9a-f]{64}$/)));

/** One file of another tool that Nancy changed, with the facts that restore it byte for byte. */
export const DeployedFile = z.lazy(() =>
	z.looseObject({
		/** Relative to the workspace folder, with `/`. */
		file: WorkspacePath,
		existedBefore: z.boolean(),
		/** SHA-256 of the file right after Nancy's edit. If it is unchanged, nobody else has written the file. */
		sha256: Sha256,
		/** The same of earlier edits of this original: a kill during an update leaves one of these in the file. */
		earlier: z.optional(z.array(Sha256)),
		/** SHA-256 of the original, which is kept beside the record; absent if there was none. */
		original: z.optional(Sha256),
	}),
);
export type DeployedFile = z.infer<typeof DeployedFile>;

/** One entry of Nancy's in an array of another tool's settings file. */
export const DeployedEntry = z.object({ path: z.array(z.string()), value: z.unknown() });
export type DeployedEntry = z.infer<typeof DeployedEntry>;

/** A file or folder that Nancy made, with the SHA-256 of its content. During an update it is listed twice: as it was and as it will be. */
const Made = z.lazy(() => z.object({ file: WorkspacePath, sha256: Sha256 }));

/** The deployment of one driver in a workspace. */
export const Deployment = z.lazy(() =>
	z.looseObject({
		driver: DriverId,
		/** For whom it was deployed. A start never narrows the deployment of Set Up. */
		scope: z.enum(['launch', 'workspace']),
		/** Version of the hook program that was deployed (`NANCY_HOOK_VERSION`). */
		hookVersion: z.string(),
		agentVersion: z.optional(z.string()),
		events: z.array(z.string()),
		deployedAt: Moment,
		/** Other tools' files, with this driver's entries in each. `before` holds lines that a killed update may have left there. */
		files: z.array(
			z.object({ file: WorkspacePath, entries: z.array(DeployedEntry), before: z.optional(z.array(z.string())) }),
		),
		/** Whole files of Nancy's own in the agent's places. */
		ownFiles: z.array(Made),
		/** Whole files of Nancy's own, relative to the driver's launch folder. */
		launchFiles: z.array(Made),
		/**
		 * Skill folders that Nancy made, relative to the workspace folder, with the SHA-256 of their content. During an update a folder is
		 * here twice, with its old and its new content. A folder that several drivers read is in each one's record.
		 */
		skills: z.array(z.object({ folder: WorkspacePath, sha256: Sha256 })),
		/** Folders that did not exist before, innermost first. They are removed again when empty. */
		folders: z.array(WorkspacePath),
	}),
);
export type Deployment = z.infer<typeof Deployment>;

/** All of Nancy's deployments in one workspace: `deployment/record.json` among the user's own records of it. */
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
