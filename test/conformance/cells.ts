import type { Cell } from './cell.ts';
import {
	answeredHere,
	answeredThere,
	answeredThree,
	answerRefused,
	askingKilled,
	holderKilled,
} from './cells/answers.ts';
import { mcpBrokenOff, mcpFeedback, mcpKilled, mcpLong } from './cells/tools.ts';
import { brokenOffPrompt, brokenOffQuestion, brokenOffTool, killedInTool } from './cells/brokenOff.ts';
import { besideOthers, cleanedUp, foundSession, redeploy } from './cells/deployment.ts';
import { hookGarbage, hookMissing, hookSlow, programBroken } from './cells/failures.ts';
import { feedback, feedbackFromPage } from './cells/feedback.ts';
import { headless, headlessDenied, headlessFailure, headlessSteer, headlessWorktree } from './cells/headless.ts';
import { skills, status, transcript } from './cells/knowledge.ts';
import { longMessage } from './cells/long.ts';
import { plugin } from './cells/plugin.ts';
import { memory, memoryBeside, memoryCompacted, memoryHeadless, memoryResumed } from './cells/memory.ts';
import { permission, refused } from './cells/permission.ts';
import { nextPrompt, sessionStart } from './cells/prompt.ts';
import { fork, headlessResume, resume } from './cells/resume.ts';
import { interrupted, launch, statusEvents } from './cells/start.ts';
import { directive, halt, pause, subagent } from './cells/steer.ts';
import { draft, wake, wakeOnResume } from './cells/wake.ts';

/** Every row of the matrix, in its order. */
export const cells: readonly Cell[] = [
	launch,
	statusEvents,
	interrupted,
	status,
	directive,
	feedback,
	feedbackFromPage,
	halt,
	pause,
	sessionStart,
	nextPrompt,
	wake,
	draft,
	brokenOffTool,
	brokenOffQuestion,
	brokenOffPrompt,
	killedInTool,
	subagent,
	permission,
	refused,
	answeredHere,
	answeredThere,
	answeredThree,
	answerRefused,
	holderKilled,
	askingKilled,
	resume,
	fork,
	wakeOnResume,
	headless,
	headlessSteer,
	longMessage,
	headlessWorktree,
	headlessDenied,
	headlessFailure,
	headlessResume,
	skills,
	transcript,
	memory,
	memoryBeside,
	memoryResumed,
	memoryCompacted,
	memoryHeadless,
	mcpFeedback,
	mcpLong,
	mcpBrokenOff,
	mcpKilled,
	foundSession,
	besideOthers,
	plugin,
	hookMissing,
	hookSlow,
	hookGarbage,
	programBroken,
	redeploy,
	cleanedUp,
];
