import type { ComponentChildren } from 'preact';
import { phrase } from '../../base/phrase.ts';
import type { AllowedReply, AnsweredQuestion, DevicesReply } from '../../protocol/deskRooms.ts';
import type { DeskFolder } from '../../protocol/deskState.ts';
import type { Scope } from '../../protocol/scope.ts';
import { stateOf } from './domainWords.ts';
import { useLook } from './look.ts';
import { NoticeSwitch } from './noticeSwitch.tsx';
import { allowedReply, devicesReply } from './roomShapes.ts';
import { questions, state } from './store.ts';
import { age, moment } from './times.ts';
import { say } from './words.ts';

/** What holds without being asked again, who has answered, and which devices are let in. Only to look at. */
export function AllowedRoom() {
	const folders = state.value?.folders ?? [];
	return (
		<>
			<h1>{say(phrase`Allowed`)}</h1>
			{folders.map(folder => (
				<OfFolder key={folder.key} folder={folder} isOnly={folders.length === 1} />
			))}
			<Devices />
			<NoticeSwitch />
		</>
	);
}

function OfFolder({ folder, isOnly }: { folder: DeskFolder; isOnly: boolean }) {
	// Looked at anew when a question is answered or over.
	const over = questions.value.filter(each => each.answer ?? each.outcome).length;
	const found = useLook('allowed', { folder: folder.folder }, allowedReply, over);
	return (
		<section aria-label={folder.name}>
			{!isOnly && <p class="brand">{folder.name}</p>}
			{!found && <p class="quiet">{say(phrase`Loading …`)}</p>}
			{found?.is === 'failed' && <p class="problem">{found.message}</p>}
			{found?.is === 'done' && (
				<>
					<Added of={found.value.added} />
					<Rules of={found.value} />
					<Answers of={found.value.answers} />
				</>
			)}
		</section>
	);
}

function List({ name, none, children }: { name: string; none: string; children: ComponentChildren[] }) {
	return (
		<>
			<h2>{name}</h2>
			{children.length === 0 ? <p class="quiet">{none}</p> : <ul class="rows traffic">{children}</ul>}
		</>
	);
}

function Added({ of }: { of: AllowedReply['added'] }) {
	return (
		<List
			name={say(phrase`Added by your answers to the agents’ own files`)}
			none={say(phrase`No answer of yours has added a rule to a file.`)}
		>
			{of.map(({ rule, keptIn, asked, at }) => (
				<li>
					<code>{rule}</code>
					<p class="quiet">{[keptIn, asked, say(phrase`${age(at)} ago`)].join(' · ')}</p>
				</li>
			))}
		</List>
	);
}

function Rules({ of: { rules, isPaused, problem } }: { of: AllowedReply }) {
	return (
		<>
			<List
				name={say(phrase`Your own rules`)}
				none={say(phrase`No rule of yours answers for you. Set one with the nancy command.`)}
			>
				{rules.map(rule => (
					<li key={rule.id}>
						<strong>{rule.effect === 'no' ? say(phrase`No`) : say(phrase`Allow Once`)}</strong>{' '}
						{rule.agentName} · {rule.tool}
						<pre>{rule.body ?? say(phrase`every request of this tool`)}</pre>
						<p class="quiet">{limitsOf(rule)}</p>
					</li>
				))}
			</List>
			{isPaused && <p class="note">{say(phrase`Your rules are paused: you are asked each time.`)}</p>}
			{problem !== undefined && <p class="problem">{problem}</p>}
		</>
	);
}

function limitsOf({ until, used, uses, isOfSession }: AllowedReply['rules'][number]): string {
	return [
		say(phrase`until ${moment(until)}`),
		uses === undefined ? say(phrase`used ${used} times`) : say(phrase`used ${used} of ${uses} times`),
		isOfSession ? say(phrase`in one session`) : '',
	]
		.filter(Boolean)
		.join(' · ');
}

function Answers({ of }: { of: readonly AnsweredQuestion[] }) {
	return (
		<List name={say(phrase`Answered lately`)} none={say(phrase`No question was answered lately.`)}>
			{of.map(question => (
				<li key={question.id}>
					<span class="mono">{`${question.tool}: ${question.title}`}</span>
					<p>{stateOf(question)}</p>
					<p class="quiet">
						{[question.agentName, question.answer?.device, moment(question.answer?.at ?? question.askedAt)]
							.filter(Boolean)
							.join(' · ')}
					</p>
				</li>
			))}
		</List>
	);
}

function Devices() {
	const found = useLook('devices', {}, devicesReply);
	if (found?.is === 'failed') return <p class="problem">{found.message}</p>;
	return (
		<>
			<h2>{say(phrase`Devices that are let in`)}</h2>
			<ul class="rows traffic">
				{found?.value.devices.map(device => (
					<Device key={device.id} device={device} />
				))}
			</ul>
			<p class="quiet">{say(phrase`Take one out at the computer.`)}</p>
		</>
	);
}

function Device({ device: { name, scope, madeAt, usedAt, isThis } }: { device: DevicesReply['devices'][number] }) {
	return (
		<li>
			<strong>{name}</strong> {isThis && <span class="chip">{say(phrase`this one`)}</span>}
			<p class="quiet">
				{[scopeWord(scope), say(phrase`let in ${moment(madeAt)}`), say(phrase`used ${age(usedAt)} ago`)].join(
					' · ',
				)}
			</p>
		</li>
	);
}

function scopeWord(scope: Scope): string {
	switch (scope) {
		case 'view':
			return say(phrase`may look`);
		case 'feedback':
			return say(phrase`may look and write`);
		case 'answer':
			return say(phrase`may look, write and answer`);
	}
}
