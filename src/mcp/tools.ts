import { delegateStatus, listDelegates, startDelegate, stopDelegate } from './delegates.ts';
import { feedbackWaiting, getFeedback, markReceived, sendStatus, waitForFeedback } from './feedback.ts';
import type { Tool } from './tool.ts';

/** All that a model may call. No tool answers, lists or hides what agents ask their user. */
export const tools: readonly Tool[] = [
	getFeedback,
	waitForFeedback,
	feedbackWaiting,
	sendStatus,
	markReceived,
	startDelegate,
	delegateStatus,
	listDelegates,
	stopDelegate,
];

/** In the prompt of the CLIs that show a server's instructions. */
export const INSTRUCTIONS =
	'Nancy keeps the messages that your user and other agents send you, and hands them to you while you work. ' +
	'Call get_feedback after a larger step, and wait_for_feedback only if you were asked to wait. ' +
	'Say with send_status in one line how it goes, and file with mark_received what you have acted on.';
