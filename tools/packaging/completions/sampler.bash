# bash completion for sampler(1).
#
# Commands, options and types of profiles are read from what `sampler help` prints, so that
# they are those of the sampler that stands on the line, and none can be missing here. What an
# option's value is follows from its placeholder there: PID, FILE, and so on. Words that only
# the text explains are in _sampler_words; tests/completions.test asks the program about each.

_sampler_help() { # program [command]
	local program=${1/#\~\//$HOME/}

	type -P -- "$program" >/dev/null || program=sampler
	"$program" help "${@:2}" 2>/dev/null
}

_sampler_commands() { # program
	_sampler_help "$1" | sed -n -E 's/^  ([a-z]+)  +.*/\1/p'
}

# The help of a command. That of rounds ends with record's options for them.
_sampler_page() { # program, command
	_sampler_help "$1" "$2" | sed '/^sampler \[record\]/,$d'
	[[ $2 == record ]] && _sampler_help "$1" rounds | sed -n '/^sampler \[record\]/,$p'
}

# A line for each option: --long, its value or - (=VALUE when it may be left out), -s.
_sampler_options() { # program, command
	_sampler_page "$1" "$2" | sed -n -E '
		s/^  (-[a-zA-Z],|   ) (--[a-z-]+) ([A-Z][^] ]*).*/\2 \3 \1/p; t
		s/^  (-[a-zA-Z],|   ) (--[a-z-]+)\[(=[A-Z]+).*/\2 \3 \1/p; t
		s/^  (-[a-zA-Z],|   ) (--[a-z-]+).*/\2 - \1/p' | sed 's/,$//'
}

# The placeholder of an option's value; nothing when it has none, or is not known.
_sampler_value() { # program, command, option
	local long value short

	while read -r long value short; do
		[[ $3 == "$long" || $3 == "$short" ]] && echo "${value#-}"
	done < <(_sampler_options "$1" "$2")
}

_sampler_types() { # program
	_sampler_help "$1" rounds | sed -n -E '/^Types/,$ s/^  ([a-z]+) .*/\1/p'
}

_sampler_words() { # command, option
	case $1,$2 in
	record,-f | record,--format | goparse,-f | goparse,--format)
		echo pprof folded flamegraph speedscope otlp text ;;
	*,-f | *,--format) echo pprof legacy folded flamegraph speedscope otlp text ;;
	*,--sort) echo recent recent-cum flat cum name ;;
	*,--by) echo function line file address module thread ;;
	*,--unit) echo ns us ms s hrs B kB MB GB auto ;;
	esac
}

# Of words that are separated by commas the last one.
_sampler_complete_list() { # words
	local before=

	[[ $cur == *,* ]] && before=${cur%,*},
	compopt -o nospace
	COMPREPLY=($(compgen -P "$before" -W "$1" -- "${cur##*,}"))
}

# Names are whatever a process likes to be called: compgen -W would expand them.
_sampler_complete_names() {
	local name

	while IFS= read -r name; do
		[[ $name == "$cur"* ]] && COMPREPLY+=("$(printf %q "$name")")
	done < <(cat /proc/[1-9]*/comm 2>/dev/null | sort -u)
}

_sampler_complete_value() { # program, command, option, placeholder
	local words=$(_sampler_words "$2" "$3")

	if [[ $words ]]; then
		COMPREPLY=($(compgen -W "$words" -- "$cur"))
		return
	fi
	case $3,$4 in
	*,PID*)
		_sampler_complete_list "$(cd /proc && echo [1-9]*)"
		[[ $cur == [!0-9]* ]] && _sampler_complete_names
		;;
	*,LIST | *,TYPE) _sampler_complete_list "$(_sampler_types "$1")" ;;
	--wait-for,*) _sampler_complete_names ;;
	*,ENGINE*)
		compopt -o nospace
		COMPREPLY=($(compgen -W "pyroscope= datadog= parca= otlp=" -- "$cur"))
		;;
	*,PATH | *,FILE | *,OUT) compopt -o default ;;
	esac
}

# What stands where no option does: files to read, or a command behind --.
_sampler_complete_argument() { # command
	local i

	for ((i = 1; i < COMP_CWORD; i++)); do
		[[ ${COMP_WORDS[i]} == -- ]] && break
	done
	case $1 in
	record | top)
		if ((i + 1 == COMP_CWORD)); then
			COMPREPLY=($(compgen -c -- "$cur"))
		elif ((i < COMP_CWORD)); then
			compopt -o default
		fi
		;;
	dump) [[ " ${COMP_WORDS[*]} " == *" --merge "* ]] && compopt -o default ;;
	*) compopt -o default ;;
	esac
}

_sampler() { # program
	local cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} equals='' value
	local commands=$(_sampler_commands "$1") command=record

	COMPREPLY=()
	if [[ $COMP_CWORD == 1 && $cur != -* ]]; then
		COMPREPLY=($(compgen -W "$commands" -- "$cur"))
		return
	fi
	[[ $'\n'$commands$'\n' == *$'\n'"${COMP_WORDS[1]}"$'\n'* ]] && command=${COMP_WORDS[1]}
	if [[ $command == help ]]; then
		[[ $COMP_CWORD == 2 ]] && COMPREPLY=($(compgen -W "$commands" -- "$cur"))
		return
	fi
	# --option=value comes as three words.
	[[ $cur == = ]] && cur='' equals=1
	[[ $option == = ]] && option=${COMP_WORDS[COMP_CWORD - 2]} equals=1
	value=$(_sampler_value "$1" "$command" "$option")
	if [[ $value && ( $value != =* || $equals ) ]]; then
		_sampler_complete_value "$1" "$command" "$option" "$value"
	elif [[ $cur == -* && " ${COMP_WORDS[*]:0:COMP_CWORD} " != *' -- '* ]]; then
		value=$(_sampler_options "$1" "$command" |
			while read -r long value short; do echo "$long $short"; done)
		[[ $COMP_CWORD == 1 ]] && value+=' --version'
		COMPREPLY=($(compgen -W "$value" -- "$cur"))
	else
		_sampler_complete_argument "$command"
	fi
}

complete -F _sampler sampler
