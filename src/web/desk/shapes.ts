import * as z from 'zod/mini';
import {
	AnswerReply,
	AnswerRequest,
	ApiError,
	DeviceId,
	MessageReply,
	PairReply,
	PairResult,
	ToPage,
} from '../../protocol/deskApi.ts';
import { ToPanel } from '../../protocol/deskPanel.ts';
import { StopReply } from '../../protocol/deskRooms.ts';
import { shapeOf } from './shape.ts';

/** What the server may send, and what this page keeps. The build puts these values into the page, in place of this file: see scripts/lib/shapesAsData.mts. */
export const toPage = shapeOf(ToPage);
export const toPanel = shapeOf(ToPanel);
export const answerReply = shapeOf(AnswerReply);
export const messageReply = shapeOf(MessageReply);
export const stopReply = shapeOf(StopReply);
export const pairReply = shapeOf(PairReply);
export const pairResult = shapeOf(PairResult);
export const apiError = shapeOf(ApiError);
export const pass = shapeOf(z.object({ device: DeviceId, token: z.string() }));
/** A begun answer: see answerBox.tsx. */
export const draft = shapeOf(z.pick(AnswerRequest, { digest: true, words: true, chosen: true }));
/** Translations by language, then by the English text. */
export const words = shapeOf(z.record(z.string(), z.record(z.string(), z.string())));
