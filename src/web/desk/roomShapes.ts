import * as z from 'zod/mini';
import {
	AllowedReply,
	ChangesReply,
	DevicesReply,
	DiffReply,
	FileReply,
	TrafficReply,
} from '../../protocol/deskRooms.ts';
import { shapeOf } from './shape.ts';

/** What the server may answer to the page's second file, and what that keeps: see shapes.ts. */
export const changesReply = shapeOf(ChangesReply);
export const diffReply = shapeOf(DiffReply);
export const fileReply = shapeOf(FileReply);
/** What the view of code shows. */
export const codePlace = shapeOf(
	z.object({ folder: z.string(), path: z.string(), from: z.optional(z.int()), to: z.optional(z.int()) }),
);
export const allowedReply = shapeOf(AllowedReply);
export const devicesReply = shapeOf(DevicesReply);
export const trafficReply = shapeOf(TrafficReply);
/** By the key of a delegate. */
export const keptRemarks = shapeOf(
	z.record(z.string(), z.array(z.object({ path: z.string(), line: z.int(), text: z.string() }))),
);
