import { useState } from 'preact/hooks';
import { phrase } from '../../base/phrase.ts';
import { canNotify, isNotifying, turnNoticesOff, turnNoticesOn } from './notices.ts';
import { say } from './words.ts';

/** Whether this device tells of questions while the page is out of sight. */
export function NoticeSwitch() {
	const [problem, setProblem] = useState('');
	if (!canNotify()) return null;
	const change = async (isOn: boolean) => {
		setProblem('');
		if (!isOn) turnNoticesOff();
		else if (!(await turnNoticesOn().catch(() => false)))
			setProblem(say(phrase`The browser does not let this page notify you. Its settings for this page say why.`));
	};
	return (
		<section>
			<h2>{say(phrase`Notifications`)}</h2>
			<label class="option">
				<input
					type="checkbox"
					checked={isNotifying.value}
					onChange={({ currentTarget }) => void change(currentTarget.checked)}
				/>
				<span>{say(phrase`Tell me of questions while this page is out of sight`)}</span>
			</label>
			<p class="quiet">{say(phrase`A notification says who asks. What is asked for is on the page alone.`)}</p>
			<p class="problem" role="alert">
				{problem}
			</p>
		</section>
	);
}
